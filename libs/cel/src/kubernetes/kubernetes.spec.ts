import { describe, expect, it } from '@jest/globals';
import { compileExpression } from '../expression.js';

function value(source: string): unknown {
  const compiled = compileExpression(source, ['any'], 'any');
  if (!compiled.ok) throw new Error(`${source}: ${compiled.mistake}`);
  return compiled.expression.evaluate({ any: 'x' });
}

/** Expressions that are true. Those of Kubernetes' own page come first: https://kubernetes.io/docs/reference/using-api/cel/ */
const TRUE: Readonly<Record<string, readonly string[]>> = {
  lists: [
    '["a", "b", "c"].isSorted()',
    '![2.0, 1.0].isSorted()',
    '[].isSorted()',
    '[1, 3].sum() == 4',
    '[1.0, 3.0].sum() == 4.0',
    '[].sum() == 0',
    '[1, 3].min() == 1',
    '["a", "z"].max() == "z"',
    '[1, 2, 3, 1].indexOf(1) == 0',
    '[1, 2, 3, 1].lastIndexOf(1) == 3',
    '[1, 2].indexOf(7) == -1',
    '[{"a": 1, "b": 2}].indexOf({"b": 2, "a": 1}) == 0',
    '[[1], [2]].indexOf([2]) == 1',
    '["1"].indexOf(1) == -1',
  ],
  sets: [
    'sets.contains([1, 2, 3], [2, 1])',
    '!sets.contains([1], [1, 2])',
    'sets.contains(["a"], [])',
    'sets.equivalent([1, 1, 2], [2, 1])',
    'sets.intersects([1, 2], [2, 9])',
    '!sets.intersects([], [1])',
  ],
  regex: [
    '"abc 123".find("[0-9]+") == "123"',
    '"abc".find("[0-9]+") == ""',
    '"123 abc 456".findAll("[0-9]+") == ["123", "456"]',
    '"123 abc 456".findAll("[0-9]+", 1) == ["123"]',
    '"123".findAll("[0-9]+", 0) == []',
  ],
  strings: [
    '"hello".charAt(4) == "o"',
    '"hello".charAt(5) == ""',
    '"hello hello".replace("he", "we") == "wello wello"',
    '"hello hello".replace("he", "we", 1) == "wello hello"',
    '"a$".replace("a", "$&") == "$&$"',
    '"gums".reverse() == "smug"',
    '"%s has %d of %.1f%%".format(["a", 2, 3]) == "a has 2 of 3.0%"',
    'strings.quote("a\\n\\"b\\"") == "\\"a\\\\n\\\\\\"b\\\\\\"\\""',
    'string(timestamp("2026-01-02T03:04:05Z")) == "2026-01-02T03:04:05Z"',
  ],
  URLs: [
    'url("https://example.com:80/").getHost() == "example.com:80"',
    'url("https://example.com/path with spaces".replace(" ", "%20")).getEscapedPath() == "/path%20with%20spaces"',
    'isURL("/absolute/path") && url("/absolute/path").getScheme() == ""',
    '!isURL("https://a:b:c/") && !isURL("../relative-path") && !isURL("") && !isURL("not a url")',
    'url("https://[::1]:80/").getHostname() == "::1"',
    'url("https://[::1]:80/").getHost() == "[::1]:80"',
    'url("https://user@example.com:8080/x").getPort() == "8080"',
    'url("https://example.com/").getPort() == ""',
    'url("HTTPS://example.com/").getScheme() == "https"',
    'url("https://example.com/p?k1=a&k2=b&k1=c").getQuery() == {"k1": ["a", "c"], "k2": ["b"]}',
    'url("https://example.com/?k%20=%26").getQuery()["k "] == ["&"]',
    'url("/a") == url("/a") && url("/a") != url("/b")',
  ],
  addresses: [
    'ip("127.0.0.1").family() == 4 && ip("::1").family() == 6',
    'isIP("2001:db8::abcd") && !isIP("192.168.0.1.0") && !isIP("0x7f.1") && !isIP("010.0.0.1")',
    '!isIP("fe80::1%en0") && !isIP("::ffff:1.2.3.4")',
    'ip.isCanonical("127.0.0.1") && ip.isCanonical("2001:db8::abcd")',
    '!ip.isCanonical("2001:DB8::ABCD") && !ip.isCanonical("2001:db8::0:0:0:abcd")',
    'ip("2001:db8::abcd") == ip("2001:DB8::ABCD")',
    'ip("0.0.0.0").isUnspecified() && ip("::").isUnspecified() && !ip("0.0.0.1").isUnspecified()',
    'ip("127.0.0.1").isLoopback() && ip("::1").isLoopback()',
    'ip("224.0.0.1").isLinkLocalMulticast() && !ip("224.0.1.1").isLinkLocalMulticast()',
    'ip("ff02::1").isLinkLocalMulticast() && !ip("fd00::1").isLinkLocalMulticast()',
    'ip("169.254.169.254").isLinkLocalUnicast() && ip("fe80::1").isLinkLocalUnicast()',
    'ip("192.168.0.1").isGlobalUnicast() && ip("2001:db8::abcd").isGlobalUnicast()',
    '!ip("255.255.255.255").isGlobalUnicast() && !ip("ff00::1").isGlobalUnicast()',
    'string(ip("::0001")) == "::1"',
  ],
  blocks: [
    'isCIDR("192.168.0.0/24") && isCIDR("::1/128") && !isCIDR("192.168.0.0/") && !isCIDR("192.168.0.0/33")',
    'cidr("192.168.0.0/24").containsIP(ip("192.168.0.1")) && cidr("192.168.0.0/24").containsIP("192.168.0.1")',
    '!cidr("192.168.0.0/24").containsIP("192.168.1.1") && !cidr("0.0.0.0/0").containsIP("::1")',
    'cidr("192.168.0.0/16").containsCIDR(cidr("192.168.10.0/24")) && cidr("192.168.0.0/24").containsCIDR("192.168.0.0/25")',
    '!cidr("192.168.0.0/24").containsCIDR("192.168.0.0/16")',
    'cidr("192.168.0.1/24").ip() == ip("192.168.0.1")',
    'cidr("192.168.1.9/24").masked() == cidr("192.168.1.0/24")',
    'cidr("2001:db8::7/32").masked() == cidr("2001:db8::/32")',
    'cidr("192.168.0.0/24").prefixLength() == 24 && string(cidr("192.168.0.0/24")) == "192.168.0.0/24"',
  ],
  quantities: [
    'isQuantity("1.3G") && isQuantity("1e3") && isQuantity("-.5Ki") && !isQuantity("200K") && !isQuantity("Three") && !isQuantity("")',
    'quantity("500000G").isInteger() && !quantity("50m").isInteger() && !quantity("10000000000000000000").isInteger()',
    'quantity("50k").asInteger() == 50000',
    'quantity("9.5").asApproximateFloat() == 9.5',
    'quantity("50k").add(quantity("20k")) == quantity("70k")',
    'quantity("50k").add(20) == quantity("50020")',
    'quantity("50k").sub(quantity("20k")) == quantity("30k") && quantity("50k").sub(20000) == quantity("30k")',
    'quantity("1Ki") == quantity("1024") && quantity("1000m") == quantity("1")',
    'quantity("200M").compareTo(quantity("0.2G")) == 0 && quantity("50M").compareTo(quantity("50Mi")) == -1',
    'quantity("150Mi").isGreaterThan(quantity("100Mi")) && quantity("50M").isLessThan(quantity("100M"))',
    'quantity("-5").sign() == -1 && quantity("0").sign() == 0 && quantity("5m").sign() == 1',
    'quantity("0.1n") == quantity("1n")',
  ],
};

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['[].min()', /need a value/],
  ['[1, "a"].max()', /have no order/],
  ['["a"].sum()', /ints or doubles/],
  ['[{}, {}].isSorted()', /have no order/],
  ['"abc".charAt(9)', /no character 9/],
  ['"%d".format(["a"])', /%d does not take value number 1/],
  ['"%s %s".format(["a"])', /there is no value for %s, number 2/],
  ['"%q".format(["a"])', /%q is none of/],
  ['"abc".find("(")', /no regular expression/],
  ['url("not a url")', /"not a url" is no URL/],
  ['ip("1.2.3")', /"1.2.3" is no IP address/],
  ['cidr("1.2.3.4")', /no CIDR block/],
  ['quantity("10 apples")', /no quantity, such as 500m or 2Gi/],
  ['quantity("50m").asInteger()', /no integer/],
];

describe("Kubernetes' libraries", () => {
  it.each(Object.entries(TRUE).flatMap(([library, sources]) => sources.map((source) => ({ library, source }))))(
    '$library: $source',
    ({ source }) => expect(value(source)).toBe(true),
  );

  it.each(REFUSED)('%s is refused when it is evaluated', (source, message) => {
    expect(() => value(source)).toThrow(message);
  });

  it.each(['"a".isSorted()', 'quantity(1)', 'ip("::1").isPublic()', 'sets.union([1], [2])'])(
    '%s is a mistake before',
    (source) => expect(compileExpression(source, [], 'any')).toMatchObject({ ok: false }),
  );
});
