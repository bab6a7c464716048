/**
 * Who may do what, as promised to people; written by hand and on purpose not taken from the product.
 *
 * E everyone who is signed in · V viewers of the Project · O operators · A administrators · P platform administrators · - nobody.
 * Each letter includes those after it, up to P. `*` of Projects: everyone, of their own.
 */
export const EXPECTED = `
resource                                          get list watch create update patch delete deletecollection
lifecycle.crate.dev/projects                       V   *    *     P      A      A     P      P
lifecycle.crate.dev/projects/status                V   .    .     -      -      -     .      .
lifecycle.crate.dev/clusters                       V   V    V     O      O      O     O      O
lifecycle.crate.dev/clusters/status                V   .    .     -      -      -     .      .
lifecycle.crate.dev/clusters/kubeconfig            O   .    .     -      -      -     .      .
lifecycle.crate.dev/clusters/logs                  V   .    .     -      -      -     .      .
lifecycle.crate.dev/clusters/plan                  V   .    .     -      -      -     .      .
lifecycle.crate.dev/clusters/drift                 V   .    .     -      -      -     .      .
lifecycle.crate.dev/nodepools                      V   V    V     O      O      O     O      O
lifecycle.crate.dev/nodepools/status               V   .    .     -      -      -     .      .
lifecycle.crate.dev/nodepools/scale                V   .    .     -      O      O     .      .
lifecycle.crate.dev/plans                          V   V    V     O      O      O     O      O
lifecycle.crate.dev/plans/status                   V   .    .     -      -      -     .      .
lifecycle.crate.dev/plans/approve                  -   .    .     O      -      -     .      .
lifecycle.crate.dev/apikeys                        A   A    A     A      A      A     A      A
lifecycle.crate.dev/apikeys/status                 A   .    .     -      -      -     .      .
lifecycle.crate.dev/apikeys/token                  -   .    .     A      -      -     .      .
lifecycle.crate.dev/notificationchannels           V   V    V     A      A      A     A      A
lifecycle.crate.dev/notificationchannels/status    V   .    .     -      -      -     .      .
lifecycle.crate.dev/notificationchannels/deliveries V  .    .     -      -      -     .      .
lifecycle.crate.dev/notificationchannels/test      -   .    .     A      -      -     .      .
lifecycle.crate.dev/components                     P   P    P     -      P      P     -      -
lifecycle.crate.dev/components/status              P   .    .     -      -      -     .      .
lifecycle.crate.dev/clusterclasses                 E   E    E     P      P      P     P      P
lifecycle.crate.dev/clusterclasses/status          E   .    .     -      -      -     .      .
lifecycle.crate.dev/clusterclasses/clusters        P   .    .     P      P      P     .      .
lifecycle.crate.dev/clusterclassrevisions          E   E    E     -      -      -     -      -
lifecycle.crate.dev/clusterclassrevisions/status   E   .    .     -      -      -     .      .
lifecycle.crate.dev/addons                         E   E    E     P      P      P     P      P
lifecycle.crate.dev/addons/status                  E   .    .     -      -      -     .      .
lifecycle.crate.dev/auditevents                    A   A    A     -      -      -     -      -
cloud.crate.dev/cloudaccounts                      V   V    V     A      A      A     A      A
cloud.crate.dev/cloudaccounts/status               V   .    .     -      -      -     .      .
cloud.crate.dev/cloudaccounts/sweep                V   .    .     A      -      -     .      .
cloud.crate.dev/infrastructures                    V   V    V     -      -      -     -      -
cloud.crate.dev/infrastructures/status             V   .    .     -      -      -     .      .
cloud.crate.dev/infrastructures/logs               V   .    .     -      -      -     .      .
cloud.crate.dev/infrastructures/plan               V   .    .     -      -      -     .      .
cloud.crate.dev/infrastructures/drift              V   .    .     -      -      -     .      .
cloud.crate.dev/infrastructures/resources          V   .    .     -      -      -     .      .
cloud.crate.dev/infrastructures/state              P   .    .     -      P      P     .      .
cloud.crate.dev/infrastructures/lock               V   .    .     P      -      -     .      .
cloud.crate.dev/infrastructures/unlock             -   .    .     A      -      -     .      .
cloud.crate.dev/stateversions                      V   V    V     -      -      -     -      -
cloud.crate.dev/stateversions/diff                 V   .    .     V      -      -     .      .
cloud.crate.dev/stateversions/restore              -   .    .     A      -      -     .      .
cloud.crate.dev/deletionrecords                    V   V    V     -      -      -     -      -
cloud.crate.dev/deletionrecords/status             V   .    .     -      -      -     .      .
cluster.crate.dev/kubernetesclusters               V   V    V     -      -      -     -      -
cluster.crate.dev/kubernetesclusters/status        V   .    .     -      -      -     .      .
cluster.crate.dev/kubernetesclusters/kubeconfig    O   .    .     -      -      -     .      .
cluster.crate.dev/kubernetesclusters/logs          V   .    .     -      -      -     .      .
cluster.crate.dev/kubernetesclusters/lock          V   .    .     P      -      -     .      .
cluster.crate.dev/enginestateversions              V   V    V     -      -      -     -      -
cluster.crate.dev/enginestateversions/diff         V   .    .     V      -      -     .      .
cluster.crate.dev/enginestateversions/restore      -   .    .     A      -      -     .      .
cluster.crate.dev/addoninstallations               V   V    V     -      -      -     -      -
cluster.crate.dev/addoninstallations/status        V   .    .     -      -      -     .      .
policy.crate.dev/policies                          E   E    E     P      P      P     P      P
policy.crate.dev/policies/status                   E   .    .     -      -      -     .      .
policy.crate.dev/policies/examples                 E   .    .     -      -      -     .      .
policy.crate.dev/policies/evaluate                 -   .    .     E      -      -     .      .
policy.crate.dev/policyimpactreviews               -   -    -     P      -      -     -      -
wgpolicyk8s.io/clusterpolicyreports                E   E    E     -      -      -     -      -
wgpolicyk8s.io/policyreports                       V   V    V     -      -      -     -      -
wgpolicyk8s.io/policyreports/export                V   .    .     -      -      -     .      .
wgpolicyk8s.io/policyreports/compliance            V   .    .     -      -      -     .      .
wgpolicyk8s.io/policyreports/history               V   .    .     -      -      -     .      .
policy.crate.dev/policywaivers                     V   V    V     O      O      O     O      O
policy.crate.dev/policywaivers/status              V   .    .     -      -      -     .      .
policy.crate.dev/policywaivers/approve             -   .    .     A      -      -     .      .
policy.crate.dev/policywaivers/revoke              -   .    .     O      -      -     .      .
apiextensions.k8s.io/customresourcedefinitions     E   E    E     -      -      -     -      -
events.k8s.io/events                               V   V    V     -      -      -     -      -
/events                                            V   V    V     -      -      -     -      -
`;

export const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;
export type Verb = (typeof VERBS)[number];

/** What a letter of the table stands for; `.`: there is no such thing to ask for; `G`, beside the table: P, and who may break the glass. */
export type Letter = 'G' | 'E' | 'V' | 'O' | 'A' | 'P' | '-' | '*' | '.';

const LETTERS = /^[EVOAP*.-]$/;

/** The table by resource, such as `lifecycle.crate.dev/clusters/status`. Throws for a line that is not of its shape. */
export function readExpectations(): ReadonlyMap<string, Readonly<Record<Verb, Letter>>> {
  const [head = '', ...lines] = EXPECTED.trim().split('\n');
  const verbs = head.trim().split(/\s+/).slice(1);
  if (verbs.join() !== VERBS.join()) throw new Error('The columns of the table are not the verbs');
  return new Map(lines.map(readLine));
}

function readLine(line: string): [string, Readonly<Record<Verb, Letter>>] {
  const [resource = '', ...letters] = line.trim().split(/\s+/);
  if (letters.length !== VERBS.length || !letters.every((letter) => LETTERS.test(letter))) {
    throw new Error(`Not a line of the table: ${line}`);
  }
  const byVerb = Object.fromEntries(VERBS.map((verb, index) => [verb, letters[index] as Letter]));
  return [resource, byVerb as Record<Verb, Letter>];
}
