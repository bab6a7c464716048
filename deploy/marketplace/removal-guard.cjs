// Runs in AWS Lambda as a custom resource of crate.template.yaml: refuses the deletion of the stack while Crate has
// something in the account, in any region that is enabled: one that was disabled since looks to EC2 like one that never was. The stack holds the only credentials that can take it away again.
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
// A stack whose deletion has failed takes no parameters any more.
const AGAIN = 'Then delete the stack again; --retain-resources Guard goes without it.';

exports.handler = async (event) => {
  try {
    return await answer(event, event.RequestType === 'Delete' ? await objection(event.ResourceProperties) : '');
  } catch (error) {
    return answer(event, unknown(error.message));
  }
};

/** Why the stack has to stay; empty: it may go. What one look finds counts, whatever becomes of the others. */
async function objection({ OtherInstallations = '', ClosedRegions = '' }) {
  const others = OtherInstallations.split(',').filter(Boolean);
  const isOurs = ({ Tags = [] }) => !Tags.some(({ Key, Value }) => Key === INSTALLATION && others.includes(Value));
  const { Regions } = await new EC2Client({}).send(new DescribeRegionsCommand({}));
  const looks = Regions.flatMap(({ RegionName }) => inRegion(RegionName, isOurs));
  // Roles tell no tags when they are listed. Those of other installations cannot be told apart, so they count only where there is none.
  if (others.length === 0) looks.push(at('IAM', roles()));
  const ended = await Promise.allSettled(looks);
  const failed = ended.flatMap(({ reason }) => reason ?? []);
  const closed = new Set(failed.filter(isClosed).map(({ place }) => place));
  return [
    stillThere(ended.flatMap(({ value = [] }) => value)),
    notOpen([...closed].filter((region) => !ClosedRegions.split(',').includes(region))),
    ...failed
      .filter((error) => !isClosed(error))
      .slice(0, 1)
      .map(({ place, message }) => unknown(`${place}: ${message}`)),
  ].join('');
}

function stillThere(left) {
  if (left.length === 0) return '';
  const more = left.length > SHOWN ? ` and ${left.length - SHOWN} more` : '';
  return `Crate still has ${left.slice(0, SHOWN).join(', ')}${more} in this account. Take away its clusters and the platform first (docs/install/aws-marketplace.md, Removal). `;
}

/** Somebody may have closed them while Crate had something there. */
function notOpen(regions) {
  if (regions.length === 0) return '';
  return `Could not look in ${regions.join(', ')}: closed by the organization. Open them, or look there yourself. `;
}

/** Nobody knows whether something is left: that is no leave to go. */
function unknown(message) {
  return `Could not tell whether Crate still has something here. Let the guard look (${message}). `;
}

function inRegion(region, isOurs) {
  const client = new EC2Client({ region });
  const named = async (things, id) => (await things).filter(isOurs).map((thing) => `${thing[id]} (${region})`);
  const instances = all(paginateDescribeInstances({ client }, { Filters: [MANAGED, LIVING] }), (page) =>
    page.Reservations.flatMap(({ Instances }) => Instances),
  );
  const vpcs = all(paginateDescribeVpcs({ client }, { Filters: [MANAGED] }), (page) => page.Vpcs);
  const volumes = all(paginateDescribeVolumes({ client }, { Filters: [MANAGED] }), (page) => page.Volumes);
  const addresses = client.send(new DescribeAddressesCommand({ Filters: [MANAGED] })).then((page) => page.Addresses);
  return [
    named(instances, 'InstanceId'),
    named(vpcs, 'VpcId'),
    named(volumes, 'VolumeId'),
    named(addresses, 'AllocationId'),
  ].map((look) => at(region, look));
}

function at(place, look) {
  return look.catch((error) => Promise.reject(Object.assign(error, { place })));
}

/** The region of the stack is not. */
function isClosed({ place, message }) {
  return place !== process.env.AWS_REGION && message.includes(CLOSED);
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
async function answer(event, objection) {
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = `${LogicalResourceId}-${RequestId}` } = event;
  const Status = objection ? 'FAILED' : 'SUCCESS';
  const Reason = objection ? objection + AGAIN : 'Nothing is left';
  console.log(JSON.stringify({ request: event.RequestType, Status, Reason }));
  const body = JSON.stringify({ Status, Reason, StackId, RequestId, LogicalResourceId, PhysicalResourceId });
  const response = await fetch(event.ResponseURL, { method: 'PUT', body, headers: { 'content-type': '' } });
  if (!response.ok) throw new Error(`CloudFormation answered ${response.status}`);
}
