import type { CoverageGap } from '@crate/policy-engine';
import type { TestRun } from './test-run.js';

/** What a person reads of a run: what failed, what was never seen, and the numbers. */
export function testReportLines({ policies, cases, failed, coverage }: TestRun): readonly string[] {
  const failures = cases.flatMap(({ path, policy, name, failure }) =>
    failure
      ? [`FAIL  ${path}: ${policy}: ${name}: ${failure.summary}`, ...failure.details.map((line) => `        ${line}`)]
      : [],
  );
  const { percent, reached, goals, gaps } = coverage;
  const uncovered = gaps.map((gap) => `      ${gapText(gap)}`);
  return [
    ...failures,
    ...(uncovered.length === 0 ? [] : ['Not covered:', ...uncovered]),
    `${counted(policies, 'rule')}, ${counted(cases.length, 'case')}: ${cases.length - failed} passed, ${failed} failed`,
    `Coverage ${percent} % (${reached} of ${goals}: each rule and each validation seen to pass and seen to fail)`,
  ];
}

function gapText({ policy, validation, gap }: CoverageGap): string {
  return `${policy}${validation === undefined ? '' : ` validations[${validation}]`}: ${gap}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The run as JUnit's XML, one suite for each file. Source of the shape: https://github.com/testmoapp/junitxml */
export function junitOf({ cases, failed }: TestRun): string {
  const paths = [...new Set(cases.map(({ path }) => path))];
  const suites = paths.flatMap((path) => {
    const own = cases.filter((each) => each.path === path);
    const count = own.filter(({ failure }) => failure).length;
    return [
      `  <testsuite name="${escaped(path)}" tests="${own.length}" failures="${count}">`,
      ...own.map(junitCase),
      '  </testsuite>',
    ];
  });
  const root = `<testsuites name="crate policy test" tests="${cases.length}" failures="${failed}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', root, ...suites, '</testsuites>', ''].join('\n');
}

function junitCase({ policy, name, failure }: TestRun['cases'][number]): string {
  const about = `    <testcase classname="${escaped(policy)}" name="${escaped(name)}"`;
  if (!failure) return `${about}/>`;
  const { summary, details } = failure;
  return `${about}><failure message="${escaped(summary)}">${escaped(details.join('\n'))}</failure></testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 has no place for other control characters, not even escaped. */
function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd')
    .replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}
