"""What Python's kubernetes client can do with the API: one function a capability, one line of JSON for each on stdout.

Usage: capabilities.py KUBECONFIG NAMESPACE [REVISION]

With a revision of Clusters that is compacted, only what is to be tried with that.
"""

import functools
import json
import sys
import threading
import time
import traceback

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, UnprocessibleEntityError

GROUP, VERSION = "lifecycle.crate.dev", "v1alpha1"
KUBECONFIG, NAMESPACE = sys.argv[1:3]
REVISION = sys.argv[3] if len(sys.argv) > 3 else None
CAPABILITIES = []


def capability(name, alone=False):
    def register(function):
        if alone == (REVISION is not None):
            CAPABILITIES.append((name, function))
        return function

    return register


def cluster(name, labels=None):
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "Cluster",
        "metadata": {"name": name, **({"labels": labels} if labels else {})},
        "spec": {
            "paused": True,
            "accountRef": {"name": "sandbox"},
            "region": "us-east-1",
            "kubernetes": {"engine": "rke", "version": "v1.31.4"},
            "nodePools": [{"name": "workers", "replicas": 2, "machineType": "m5.large"}],
        },
    }


api_client = config.new_client_from_config(KUBECONFIG)
dynamic = DynamicClient(api_client)
clusters = dynamic.resources.get(api_version=f"{GROUP}/{VERSION}", kind="Cluster")
custom = client.CustomObjectsApi(api_client)


def names(result):
    return [item.metadata.name for item in result.items]


def raises(error, call):
    try:
        call()
    except error as caught:
        return caught
    raise AssertionError(f"{error.__name__} was not raised")


@capability("version")
def version():
    assert client.VersionApi(api_client).get_code().major == "1"


@capability("discovery: kinds of all services, by kind and by short name")
def discovery():
    account = dynamic.resources.get(api_version=f"cloud.crate.dev/{VERSION}", kind="CloudAccount")
    assert account.namespaced and account.name == "cloudaccounts"
    assert dynamic.resources.get(short_names=["cl"]).kind == "Cluster"
    assert "status" in clusters.subresources


@capability("dynamic: create and get")
def create():
    created = clusters.create(body=cluster("created"), namespace=NAMESPACE)
    assert created.metadata.uid
    assert clusters.get(name="created", namespace=NAMESPACE).metadata.uid == created.metadata.uid


@capability("dynamic: list by selector")
def select():
    for name in ("sel-a", "sel-b"):
        clusters.create(body=cluster(name, {"sel": "yes"}), namespace=NAMESPACE)
    assert names(clusters.get(namespace=NAMESPACE, label_selector="sel=yes")) == ["sel-a", "sel-b"]
    assert names(clusters.get(namespace=NAMESPACE, field_selector="metadata.name=sel-b")) == ["sel-b"]


@capability("dynamic: list in pages")
def pages():
    first = clusters.get(namespace=NAMESPACE, label_selector="sel=yes", limit=1)
    token = getattr(first.metadata, "continue")
    rest = clusters.get(namespace=NAMESPACE, label_selector="sel=yes", limit=1, _continue=token)
    assert names(first) + names(rest) == ["sel-a", "sel-b"]


@capability("dynamic: merge patch and JSON patch")
def patch():
    merged = clusters.patch(
        body={"metadata": {"labels": {"patched": "yes"}}},
        name="created",
        namespace=NAMESPACE,
        content_type="application/merge-patch+json",
    )
    assert merged.metadata.labels.patched == "yes"
    operated = clusters.patch(
        body=[{"op": "replace", "path": "/spec/nodePools/0/replicas", "value": 3}],
        name="created",
        namespace=NAMESPACE,
        content_type="application/json-patch+json",
    )
    assert operated.spec.nodePools[0].replicas == 3


@capability("dynamic: server-side apply, its conflict, and force")
def apply():
    def applied(manager, value, **options):
        body = cluster("applied", {"owner": value})
        # As text: this client sends no documents of this type by itself.
        return dynamic.server_side_apply(
            clusters, body=json.dumps(body), name="applied", namespace=NAMESPACE, field_manager=manager, **options
        )

    applied("one", "one")
    conflict = raises(ConflictError, lambda: applied("two", "two"))
    assert json.loads(conflict.body)["details"]["causes"][0]["field"] == ".metadata.labels.owner"
    # This client writes booleans as `False`.
    raises(ConflictError, lambda: applied("two", "two", force_conflicts=False))
    assert applied("two", "two", force_conflicts=True).metadata.labels.owner == "two"


@capability("dynamic: replace, and the conflict of a stale one")
def replace():
    for _attempt in range(10):
        stale = clusters.get(name="created", namespace=NAMESPACE).to_dict()
        newer = json.loads(json.dumps(stale))
        newer["metadata"]["labels"] = {"replaced": "yes"}
        try:
            clusters.replace(body=newer, namespace=NAMESPACE)
            break
        except ConflictError:
            continue  # The service wrote a status in between.
    raises(ConflictError, lambda: clusters.replace(body=stale, namespace=NAMESPACE))


@capability("dynamic: refusals name the bad fields")
def refusal():
    bad = cluster("bad")
    bad["spec"]["region"] = "nowhere"
    refused = raises(UnprocessibleEntityError, lambda: clusters.create(body=bad, namespace=NAMESPACE))
    assert json.loads(refused.body)["details"]["causes"][0]["field"] == "spec.region"


@capability("dynamic: watch of every change")
def watch_changes():
    start = clusters.get(namespace=NAMESPACE).metadata.resourceVersion

    def change():
        clusters.create(body=cluster("watched", {"watched": "yes"}), namespace=NAMESPACE)
        clusters.delete(name="watched", namespace=NAMESPACE)

    threading.Timer(0.3, change).start()
    seen = []
    for event in clusters.watch(
        namespace=NAMESPACE, label_selector="watched=yes", resource_version=start, timeout=20
    ):
        seen.append(event["type"])
        if event["type"] == "DELETED":
            break
    assert seen[0] == "ADDED" and seen[-1] == "DELETED", seen


@capability("dynamic: watch that ends after its time")
def watch_timeout():
    events = list(clusters.watch(namespace=NAMESPACE, field_selector="metadata.name=none", timeout=1))
    assert events == []


@capability("watch.Watch over a custom object, resuming by itself")
def watch_custom():
    asked = []

    @functools.wraps(custom.list_namespaced_custom_object)
    def a_second_of_it(*args, **kwargs):
        asked.append(kwargs.get("resource_version"))
        if len(asked) == 2:
            clusters.create(body=cluster("meanwhile"), namespace=NAMESPACE)
        return custom.list_namespaced_custom_object(*args, timeout_seconds=1, **kwargs)

    watcher = watch.Watch()
    seen = []
    for event in watcher.stream(a_second_of_it, GROUP, VERSION, NAMESPACE, "clusters"):
        if event["type"] == "ADDED":
            seen.append(event["object"]["metadata"]["name"])
        if seen[-1:] == ["meanwhile"]:
            watcher.stop()
    clusters.delete(name="meanwhile", namespace=NAMESPACE)
    assert len(asked) > 1 and all(asked[1:]), asked
    # This client goes on from the last object that it was sent, not from the list: newer ones come once more.
    assert len(set(seen)) > 3 and seen.count("meanwhile") == 1, seen


@capability("watch from a revision that was compacted: 410", alone=True)
def watch_compacted():
    stream = watch.Watch().stream(
        custom.list_namespaced_custom_object, GROUP, VERSION, NAMESPACE, "clusters", resource_version=REVISION
    )
    assert raises(ApiException, lambda: next(stream)).status == 410


@capability("watch from a revision of the future: 410")
def watch_future():
    stream = watch.Watch().stream(
        custom.list_namespaced_custom_object, GROUP, VERSION, NAMESPACE, "clusters", resource_version="999999999"
    )
    assert raises(ApiException, lambda: next(stream)).status == 410


@capability("CustomObjectsApi: list, patch, delete")
def custom_objects():
    place = (GROUP, VERSION, NAMESPACE, "clusters")
    listed = custom.list_namespaced_custom_object(*place, label_selector="sel=yes", watch=False)
    assert listed["kind"] == "ClusterList" and len(listed["items"]) == 2
    # This client sends a JSON patch for a list and a merge patch for anything else.
    patched = custom.patch_namespaced_custom_object(*place, "sel-a", {"metadata": {"labels": {"custom": "yes"}}})
    assert patched["metadata"]["labels"]["custom"] == "yes"
    deleted = custom.delete_namespaced_custom_object(*place, "sel-a")
    assert deleted["status"] == "Success"


@capability("a kind of another service")
def other_service():
    accounts = dynamic.resources.get(api_version=f"cloud.crate.dev/{VERSION}", kind="CloudAccount")
    assert "sandbox" in names(accounts.get(namespace=NAMESPACE))
    events = accounts.watch(namespace=NAMESPACE, timeout=10)
    assert next(events)["object"].metadata.name == "sandbox"


@capability("SelfSubjectAccessReview")
def review():
    attributes = client.V1ResourceAttributes(group=GROUP, resource="clusters", verb="create", namespace=NAMESPACE)
    body = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes))
    api = client.AuthorizationV1Api(api_client)
    assert api.create_self_subject_access_review(body).status.allowed


@capability("SelfSubjectRulesReview")
def rules():
    spec = client.V1SelfSubjectRulesReviewSpec(namespace=NAMESPACE)
    body = client.V1SelfSubjectRulesReview(spec=spec)
    found = client.AuthorizationV1Api(api_client).create_self_subject_rules_review(body).status.resource_rules
    assert any("clusters" in rule.resources and "create" in rule.verbs for rule in found)


@capability("CoreV1Api and EventsV1Api: events by field selector")
def events():
    deadline = time.monotonic() + 30  # They come a moment after what they tell of.
    core, newer = client.CoreV1Api(api_client), client.EventsV1Api(api_client)
    while not core.list_namespaced_event(NAMESPACE, field_selector="involvedObject.name=created").items:
        assert time.monotonic() < deadline, "no events"
        time.sleep(0.1)
    by_core = core.list_namespaced_event(NAMESPACE, field_selector="involvedObject.name=created").items
    by_newer = newer.list_namespaced_event(NAMESPACE, field_selector="regarding.name=created").items
    assert by_core[0].involved_object.kind == by_newer[0].regarding.kind == "Cluster"
    assert by_core[0].reason == by_newer[0].reason == "Paused"


@capability("CustomObjectsApi: scale of a node pool")
def scale():
    pool = (GROUP, VERSION, NAMESPACE, "nodepools", "created.workers")
    scaled = custom.patch_namespaced_custom_object_scale(*pool, {"spec": {"replicas": 5}})
    assert scaled["kind"] == "Scale"
    assert custom.get_namespaced_custom_object_scale(*pool)["spec"]["replicas"] == 5
    assert clusters.get(name="created", namespace=NAMESPACE).spec.nodePools[0].replicas == 5


@capability("dynamic: delete, and delete of a collection")
def delete():
    clusters.delete(name="created", namespace=NAMESPACE)
    raises(NotFoundError, lambda: clusters.get(name="created", namespace=NAMESPACE))
    clusters.delete(namespace=NAMESPACE, label_selector="sel=yes")
    assert names(clusters.get(namespace=NAMESPACE, label_selector="sel=yes")) == []


for name, function in CAPABILITIES:
    try:
        function()
        error = None
    except Exception:  # pylint: disable=broad-except
        error = traceback.format_exc()
    print(json.dumps({"capability": name, "error": error}), flush=True)
