import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { isLicence } from './contents.mjs';

/** SPDX expression of a package's manifest; undefined when it states none. */
export function licenceOf({ license, licenses }) {
  const stated = license ?? licenses?.map((each) => each.type ?? each).join(' OR ');
  return typeof stated === 'object' ? stated.type : stated;
}

/**
 * Texts of the licences of all packages and programs, those alike once. The text of a program lies beside it, with `.LICENSE` behind its name;
 * Apache-2.0 is the same for everybody.
 */
export function licencesText(packages, programs) {
  const byText = new Map();
  const ofPackages = packages.map((each) => ({ ...each, text: licenceText(join(root, each.path)) }));
  const ofPrograms = programs.map((each) => ({ ...each, text: each.text ?? programText(each) }));
  for (const { name, version, licence, text: own } of [...ofPackages, ...ofPrograms]) {
    const text = own ?? `(No text comes with it; ${licence ?? 'no licence is stated'})\n`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${licence ?? 'not stated'})`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text.trimEnd()}\n`);
  return `Crate is licensed under Apache-2.0, see LICENSE. It carries these packages and programs:\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function programText({ file, licence, licenceFile = `${file}.LICENSE` }) {
  if (existsSync(licenceFile)) return readFileSync(licenceFile, 'utf8');
  return licence === 'Apache-2.0' ? readFileSync(join(root, 'LICENSE'), 'utf8') : undefined;
}

function licenceText(directory) {
  if (!existsSync(directory)) return undefined;
  const files = readdirSync(directory)
    .filter((name) => isLicence(name))
    .sort();
  const texts = files.map((name) => readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n'));
  return texts.length > 0 ? texts.join('\n') : undefined;
}
