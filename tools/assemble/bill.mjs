import { createHash } from 'node:crypto';
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';

const SPEC = Spec.Spec1dot6;
const { Component } = Models;

/**
 * The bill of materials of an image, or of the bundle of a release, CycloneDX 1.6 in JSON. Its serial number follows from what it lists,
 * and it has no time of its own: the same image has the same bill.
 */
export function billOfMaterials({ image, version, packages, systemPackages, programs, epochSeconds }) {
  const bom = new Models.Bom();
  bom.metadata.timestamp = new Date(epochSeconds * 1000);
  const type = image === 'bundle' ? Enums.ComponentType.Application : Enums.ComponentType.Container;
  const subject = new Component(type, `crate-${image}`, { version, bomRef: `crate-${image}` });
  subject.licenses.add(new Models.SpdxLicense('Apache-2.0'));
  bom.metadata.component = subject;
  // Installed twice, at two places, it is one component still.
  const once = new Map(packages.map((each) => [`${each.name}@${each.version}`, each]));
  for (const each of once.values()) bom.components.add(npmComponent(each));
  for (const each of systemPackages) bom.components.add(systemComponent(each));
  for (const each of programs) bom.components.add(programComponent(each));
  bom.serialNumber = serialNumberOf([...bom.components].map(({ bomRef }) => bomRef.value));
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(SPEC));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function npmComponent({ name, version, licence, integrity }) {
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = new PackageURL('npm', scope, bare, version, undefined, undefined).toString();
  const component = new Component(Enums.ComponentType.Library, bare, { version, purl, bomRef: purl });
  if (scope !== undefined) component.group = scope;
  addLicence(component, licence);
  const [algorithm, value] = integrity?.split('-') ?? [];
  if (algorithm === 'sha512') {
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(value, 'base64').toString('hex'));
  }
  return component;
}

function systemComponent({ name, version, architecture, sha256 }) {
  const purl = new PackageURL(
    'deb',
    'debian',
    name,
    version,
    { arch: architecture, distro: 'debian-12' },
    undefined,
  ).toString();
  const component = new Component(Enums.ComponentType.Library, name, { version, purl, bomRef: purl });
  component.hashes.set(Enums.HashAlgorithm['SHA-256'], sha256);
  return component;
}

/**
 * `source`: where Terraform knows a provider from. One version may be there for several platforms, or of several registries. A reference
 * that two of them shared would be told apart by chance: it has the digest, too.
 */
function programComponent({ name, version, licence, sha256, source }) {
  const bomRef = [source, `${name}@${version}`, sha256].filter((part) => part !== undefined).join('/');
  const component = new Component(Enums.ComponentType.Application, name, { version, bomRef });
  component.description = source;
  addLicence(component, licence);
  if (sha256 !== undefined) component.hashes.set(Enums.HashAlgorithm['SHA-256'], sha256);
  return component;
}

function addLicence(component, licence) {
  if (licence === undefined) return;
  if (SPDX.isSupportedSpdxId(licence)) component.licenses.add(new Models.SpdxLicense(licence));
  else if (/ (AND|OR|WITH) /.test(licence)) component.licenses.add(new Models.LicenseExpression(licence));
  // Not every text in that field of a package is one of SPDX.
  else component.licenses.add(new Models.NamedLicense(licence));
}

/** A UUID of version 8 (RFC 9562), made of a digest. */
function serialNumberOf(names) {
  const digest = createHash('sha256').update(names.sort().join('\n')).digest('hex');
  const [a, b, c, d, e] = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    digest.slice(13, 16),
    digest.slice(17, 20),
    digest.slice(20, 32),
  ];
  return `urn:uuid:${a}-${b}-5${c}-8${d}-${e}`;
}
