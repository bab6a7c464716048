import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import common from './en/common.json' with { type: 'json' };

/** Strings of a part of the page: nested, leaves are texts with `{{values}}`. */
export interface Strings {
  readonly [key: string]: string | Strings;
}

void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  defaultNS: 'common',
  resources: { en: { common } },
  // React escapes already.
  interpolation: { escapeValue: false },
  returnNull: false,
});

/** Adds the strings of a part of the page, which come with its code; the part names itself in `useTranslation(part)`. */
export function addStrings(part: string, strings: Strings): void {
  i18next.addResourceBundle('en', part, strings, true, true);
}
