import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';

const URL_OF = '__originalUrl';
const PATH_OF = '__originalPath';
/** Replacements keep the number of lines, so that maps stay true. */
const PLACES = [
  [/\bimport\.meta\.url\b/g, (file) => `${URL_OF}(${quoted(file)})`],
  [/\bimport\.meta\.filename\b/g, (file) => `${PATH_OF}(${quoted(file)})`],
  [/\bimport\.meta\.dirname\b/g, (file) => `${PATH_OF}(${quoted(dirname(file))})`],
  [/(?<![\w.$])__filename\b/g, (file) => `${PATH_OF}(${quoted(file)})`],
  [/(?<![\w.$])__dirname\b/g, (file) => `${PATH_OF}(${quoted(dirname(file))})`],
];
const MENTIONED = /\bimport\.meta\.(url|filename|dirname)\b|\b__(filename|dirname)\b/;
const quoted = (path) => JSON.stringify(path);

/** At the top of each file of a bundle: what the places below are worked out with. */
export const PLACES_BANNER = [
  `import { fileURLToPath as __pathOfUrl } from 'node:url';`,
  `const ${URL_OF} = (path) => new URL(path, import.meta.url).href;`,
  `const ${PATH_OF} = (path) => __pathOfUrl(${URL_OF}(path));`,
].join('\n');

/**
 * Lets each module in a bundle below `directory` know the file that it came from as its own, relative to the bundle: migrations, packs and
 * packages that it looks for beside itself are found where they lie, also when the whole tree moves. `places` gets what was replaced.
 */
export function originalPlace(directory, places) {
  return {
    name: 'original-place',
    transform: {
      filter: { id: /^[^\0]/, code: MENTIONED },
      handler(code, id) {
        const found = PLACES.filter(([pattern]) => pattern.test(code));
        if (found.length === 0) return null;
        const file = relative(directory, id);
        places.add(file);
        return { code: found.reduce((text, [pattern, to]) => text.replaceAll(pattern, () => to(file)), code) };
      },
    },
  };
}

/** Traces name lines of our sources; of packages they name the bundle, whose map would be four times as large otherwise. */
export function ownMaps() {
  return {
    name: 'own-maps',
    load: {
      filter: { id: { include: /\.js$/, exclude: /node_modules/ } },
      handler(id) {
        if (!existsSync(`${id}.map`)) return null;
        return { code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') };
      },
    },
  };
}
