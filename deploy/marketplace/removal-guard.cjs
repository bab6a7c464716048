// Runs in AWS Lambda as a custom resource of crate.template.yaml: refuses the deletion of the stack while Crate has
// something in the account, in any region. The stack holds the only credentials that can take it away again.
const {
  EC2Client,
  paginateDescribeInstances,
  paginateDescribeVpcs,
  paginateDescribeVolumes,
  DescribeAddressesCommand,
  DescribeRegionsCommand,
} = require('@aws-sdk/client-ec2');
const { IAMClient, paginateListRoles } = require('@aws-sdk/client-iam');

const MANAGED = { Name: 'tag:crate.dev/managed-by', Values: ['crate'] };
const INSTALLATION = 'crate.dev/installation';
const LIVING = { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] };
const ROLES = '/crate/';
const SHOWN = 10;
const CLOSED = 'explicit deny in a service control policy';

exports.handler = async (event) => {
  try {
    const left = event.RequestType === 'Delete' ? await leftOvers(event.ResourceProperties) : [];
    if (left.length === 0) return await answer(event, 'SUCCESS');
    const more = left.length > SHOWN ? ` and ${left.length - SHOWN} more` : '';
    return await answer(
      event,
      'FAILED',
      `Crate still has ${left.slice(0, SHOWN).join(', ')}${more} in this account. Take away its clusters and the platform first (docs/install/aws-marketplace.md, Removal), then delete the stack again; or set DeletionGuard to off, and remove them yourself.`,
    );
  } catch (error) {
    // Nobody knows whether something is left: that is no leave to go.
    return answer(
      event,
      'FAILED',
      `Could not tell whether Crate still has something here. Let the guard look, or look yourself and set DeletionGuard to off. ${error.message}`,
    );
  }
};

async function leftOvers({ OtherInstallations = '' }) {
  const others = OtherInstallations.split(',').filter(Boolean);
  const isOurs = ({ Tags = [] }) => !Tags.some(({ Key, Value }) => Key === INSTALLATION && others.includes(Value));
  const { Regions } = await new EC2Client({}).send(new DescribeRegionsCommand({}));
  const found = await Promise.all(
    Regions.map(({ RegionName }) => ofRegion(RegionName, isOurs).catch((error) => ofClosed(RegionName, error))),
  );
  // Roles tell no tags when they are listed. Those of other installations cannot be told apart, so they count only where there is none.
  return [...found.flat(), ...(others.length === 0 ? await roles() : [])];
}

async function ofRegion(region, isOurs) {
  const client = new EC2Client({ region });
  const [instances, vpcs, volumes, { Addresses }] = await Promise.all([
    all(paginateDescribeInstances({ client }, { Filters: [MANAGED, LIVING] }), (page) =>
      page.Reservations.flatMap(({ Instances }) => Instances),
    ),
    all(paginateDescribeVpcs({ client }, { Filters: [MANAGED] }), (page) => page.Vpcs),
    all(paginateDescribeVolumes({ client }, { Filters: [MANAGED] }), (page) => page.Volumes),
    client.send(new DescribeAddressesCommand({ Filters: [MANAGED] })),
  ]);
  const named = (things, id) => things.filter(isOurs).map((thing) => `${thing[id]} (${region})`);
  return [
    ...named(instances, 'InstanceId'),
    ...named(vpcs, 'VpcId'),
    ...named(volumes, 'VolumeId'),
    ...named(Addresses, 'AllocationId'),
  ];
}

// Closed by the organization to Crate as well. The region of the stack is not.
function ofClosed(region, { message }) {
  if (region === process.env.AWS_REGION || !message.includes(CLOSED)) throw new Error(`${region}: ${message}`);
  console.log(`Closed: ${region}: ${message}`);
  return [];
}

async function roles() {
  const found = await all(
    paginateListRoles({ client: new IAMClient({}) }, { PathPrefix: ROLES }),
    (page) => page.Roles,
  );
  return found.map(({ RoleName }) => `role ${RoleName}`);
}

async function all(pages, itemsOf) {
  const items = [];
  for await (const page of pages) items.push(...itemsOf(page));
  return items;
}

/** Without an answer CloudFormation would wait for an hour. */
async function answer(event, Status, Reason = 'Nothing is left') {
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = `${LogicalResourceId}-${RequestId}` } = event;
  console.log(JSON.stringify({ request: event.RequestType, Status, Reason }));
  const body = JSON.stringify({ Status, Reason, StackId, RequestId, LogicalResourceId, PhysicalResourceId });
  const response = await fetch(event.ResponseURL, { method: 'PUT', body, headers: { 'content-type': '' } });
  if (!response.ok) throw new Error(`CloudFormation answered ${response.status}`);
}
