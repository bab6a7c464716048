/** A command line as a person would write it, and what it is for. */
export type Example = readonly [line: string, meaning: string];

/** Examples of the commands, by their names without that of the program. Help, man page and documentation show them. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  up: [
    ['crate up', 'until Ctrl-C, with an example cluster'],
    ['crate up --detach --no-example --data-dir ~/crate', 'in the background, empty, with its data elsewhere'],
    ['crate up --only postgres --detach', 'its database alone, to restore a backup into it'],
  ],
  down: [['crate down --data-dir ~/crate', 'stop it; crate up goes on where it was']],
  status: [
    ['crate status', 'of the platform on this machine'],
    ['crate status --remote -o json', 'of the one that the kubeconfig names, as data'],
  ],
  doctor: [['crate doctor', 'what is wrong here, and what to do']],
  fleet: [
    ['crate fleet --health Failing,Blocked', 'only what needs a person'],
    ['crate fleet -p team-a --sort -cost -w', 'the dearest of a Project first, as they change'],
  ],
  components: [['crate components -w', 'follow an upgrade of the platform']],
  'platform upgrade': [
    ['crate platform upgrade --plan', 'what the newest version leads to'],
    ['crate platform upgrade --to 0.2.0 --wait', 'ask, then upgrade and wait'],
  ],
  get: [
    ['crate get clusters -A -w', 'all clusters, as they change'],
    ['crate get cluster demo -n team-a -o yaml', 'all of one'],
    ["crate get clusters -o 'jsonpath={.items[*].metadata.name}'", 'their names, for a script'],
  ],
  describe: [['crate describe cluster demo -n team-a', 'how it is, and what happened']],
  apply: [
    ['crate apply -f cluster.yaml', 'create or change what the file says'],
    ['crate apply -f clusters/ --dry-run', 'check a folder, and change nothing'],
  ],
  diff: [['crate diff -f cluster.yaml', 'what applying it would change; exit code 8 when something would']],
  create: [['crate create -f project.yaml', 'only what is not there yet']],
  delete: [
    ['crate delete cluster demo -n team-a', 'and wait until nothing is left'],
    ['crate delete clusters -l tier=test --no-wait', 'all with a label, and return at once'],
  ],
  wait: [
    ['crate wait cluster/demo -n team-a --for condition=Ready --timeout 30m', 'until it can be used'],
    ['crate wait cluster/demo -n team-a --for delete', 'until it is gone'],
  ],
  'api-resources': [['crate api-resources', 'kinds and their short names']],
  kubeconfig: [['crate kubeconfig --user ada --group team-a > ada.kubeconfig', 'be somebody on the local platform']],
  logs: [
    ['crate logs cluster/demo -n team-a -f', 'until the work is done'],
    ['crate logs infrastructure/demo -n team-a --since 1h --timestamps', 'what Terraform printed in an hour'],
  ],
  plan: [
    ['crate plan cluster/demo -n team-a', 'what the newest run changes'],
    ['crate plan cluster/demo -n team-a -f new.yaml --wait', 'what a change would lead to'],
  ],
  'plan show': [['crate plan show demo-1f2e3d -n team-a', 'look at it again']],
  'plan approve': [
    ['crate plan approve demo-1f2e3d -n team-a --wait', 'have it carried out'],
    ['crate plan approve demo-1f2e3d -n team-a --wait --timeout 3h', 'one that takes long, such as a large roll'],
  ],
  'plan reject': [['crate plan reject demo-1f2e3d -n team-a', 'nothing of it is done']],
  'clusters list': [['crate clusters list -A', 'of all Projects']],
  'clusters create': [
    ['crate clusters create demo -n team-a --class small --wait', 'as a class says'],
    [
      'crate clusters create demo --version v1.31.4 --region us-east-1 --nodes 3 --dry-run',
      'what it would lead to, and cost',
    ],
  ],
  'clusters scale': [['crate clusters scale demo --pool workers --replicas 5 --wait', 'five machines in a pool']],
  'clusters upgrade': [['crate clusters upgrade demo --to v1.32.4', 'shows what it leads to, and asks']],
  'clusters kubeconfig': [
    ['crate clusters kubeconfig demo -n team-a --merge', 'then: kubectl --context team-a-demo get nodes'],
    ['crate clusters kubeconfig demo -n team-a --expires 8h -O demo.kubeconfig', 'for a working day'],
  ],
  'clusters pause': [['crate clusters pause demo -n team-a', 'leave it as it is']],
  'clusters resume': [['crate clusters resume demo -n team-a', 'work on it again']],
  'clusters delete': [['crate clusters delete demo -n team-a', 'and say what is in the way']],
  'policy test': [['crate policy test policies/ --min-coverage 90', 'in a pipeline']],
  'policy eval': [['crate policy eval -f cluster.yaml --server', 'by the rules in force, before it is applied']],
  'policy import': [['crate policy import -f admission.yaml > policies.yaml', 'take rules of Kubernetes along']],
  'policy impact': [['crate policy impact -f policy.yaml --fail-on-denied', 'what a rule would deny of what is there']],
  'policy report': [['crate policy report -n team-a --format pdf -O report.pdf', 'as evidence']],
  'policy waiver list': [['crate policy waiver list -A', 'of all Projects']],
  'policy waiver show': [['crate policy waiver show spot -n team-a', 'what it is about']],
  'policy waiver request': [
    ['crate policy waiver request spot -n team-a --policy cost-\\* --reason "Load test" --until 30d', 'for a month'],
  ],
  'policy waiver approve': [['crate policy waiver approve spot -n team-a', 'what somebody else asked for']],
  'policy waiver revoke': [['crate policy waiver revoke spot -n team-a', 'at once and for good']],
  'policy docs': [['crate policy docs -O policies.md', 'of the packs that ship']],
  'drift show': [['crate drift show demo -n team-a', 'what was found last']],
  'drift check': [['crate drift check demo -n team-a', 'compare now']],
  'drift correct': [['crate drift correct demo -n team-a', 'put everything back']],
  'drift keep': [['crate drift keep demo -n team-a', 'leave it to whoever changed it']],
  'state list': [['crate state list demo -n team-a', 'newest first']],
  'state show': [['crate state show demo 7 -n team-a', 'of one version']],
  'state diff': [['crate state diff demo 6 7 -n team-a', 'what a run changed']],
  'state restore': [
    ['crate state restore demo 6 -n team-a --reason "Run 7 was a mistake"', 'the next run begins with it'],
  ],
  'state unlock': [['crate state unlock demo -n team-a', 'of somebody who went home']],
  sweep: [['crate sweep aws -n team-a --dry-run', 'what belongs to nobody']],
  console: [['crate console', 'in your browser, signed in']],
  login: [
    ['crate login --server https://crate.example.com', 'by your browser'],
    ['crate login --server https://crate.example.com --device', 'where there is none'],
  ],
  logout: [['crate logout', 'end the sign-in']],
  whoami: [['crate whoami', 'as whom, and in which groups']],
  'keys create': [
    ['crate keys create ci -n team-a --role operator --lifetime 90d', 'for a pipeline'],
    ['crate keys create ci -n team-a --role operator -o json', 'its token and its end, for a program'],
  ],
  'keys issue': [['crate keys issue ci -n team-a --overlap 1h', 'replace its token without a gap']],
  'keys list': [['crate keys list -n team-a', 'who has one']],
  'keys revoke': [['crate keys revoke ci -n team-a', 'within two seconds']],
  'notifications list': [['crate notifications list -n team-a', 'who delivers, and what failed']],
  'notifications deliveries': [['crate notifications deliveries alerts -n team-a --state Failed', 'and why']],
  'notifications test': [['crate notifications test alerts -n team-a', 'send a message now']],
  'secrets status': [['crate secrets status', 'keys, and what stands under them']],
  'secrets rotate': [['crate secrets rotate', 'a new key for each service']],
  'secrets retire': [['crate secrets retire', 'remove those that nothing stands under']],
  'recovery status': [
    ['crate recovery status', 'who works on a restored backup'],
    ['crate recovery status --database-url-file db.url', 'the same of a platform that runs elsewhere'],
  ],
  'recovery begin': [
    ['crate recovery begin --database-url-file db.url', 'after a restore on a new host, before the services start'],
  ],
  'recovery take-back': [
    ['crate recovery take-back demo -n team-a --from postgresql://db.example.com/later', 'made after the backup'],
  ],
  'recovery confirm': [['crate recovery confirm --by ada', 'changes that were held go on']],
  'bootstrap aws': [
    [
      'crate bootstrap aws --data ~/platform --region eu-central-1 --account 123456789012 --management-networks 203.0.113.0/24',
      'in your own account; the networks are those of the people who use it, and of this machine',
    ],
    [
      'crate bootstrap aws --data ~/platform --account 123456789012 --management-networks 203.0.113.0/24 --releases-index https://releases.example.com/releases.json --releases-public-key release.pub --self-upgrade',
      'one that knows of newer versions, and installs them when it is asked to',
    ],
    [
      'crate bootstrap aws --data ~/platform --account 123456789012 --management-networks 203.0.113.0/24 --marketplace-product-code abc123',
      'bought at AWS Marketplace, which is told what is used',
    ],
  ],
  'bootstrap sandbox': [
    [
      'crate bootstrap sandbox --data /tmp/platform --sandbox-url http://127.0.0.1:8080',
      'to try it out, in the cloud of "crate sandbox serve --data-dir /tmp/cloud --port 8080"',
    ],
  ],
  remove: [['crate remove --data ~/platform', 'asks for the name of the platform']],
  pivot: [['crate pivot --from ~/old --to ~/new', 'into another installation']],
  'audit export': [['crate audit export -n team-a --since 24h -O audit.jsonl', 'of a day']],
  'audit verify': [['crate audit verify', 'has somebody changed it?']],
  'audit tail': [['crate audit tail --verb delete', 'who deletes what, as it happens']],
  version: [['crate version --client', 'without asking a platform']],
  completion: [['source <(crate completion bash)', 'in ~/.bashrc']],
  'sandbox serve': [['crate sandbox serve --data-dir /tmp/cloud', 'a simulated cloud by itself']],
  'sandbox inventory': [['crate sandbox inventory --type aws_instance', 'machines that there are']],
  'sandbox change': [
    ['crate sandbox change aws_instance i-0123 instance_type=m5.large', 'behind the back of the platform'],
  ],
  'sandbox create': [['crate sandbox create aws_security_group name=by-hand', 'that nobody asked for']],
  'sandbox remove': [['crate sandbox remove aws_instance i-0123', 'a machine is gone']],
  'sandbox fault set': [
    ['crate sandbox fault set few --kind quota --type aws_instance --limit 3', 'no more than three machines'],
  ],
  'sandbox fault list': [['crate sandbox fault list', 'what is in force']],
  'sandbox fault clear': [['crate sandbox fault clear few', 'all is well again']],
  'sandbox latency': [['crate sandbox latency --scale 10', 'a slow cloud']],
};

/** Those of a command, as text for people. */
export function exampleLines(examples: readonly Example[]): readonly string[] {
  return examples.flatMap(([line, meaning]) => [`# ${meaning}`, line]);
}
