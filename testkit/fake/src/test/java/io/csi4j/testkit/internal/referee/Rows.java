package io.csi4j.testkit.internal.referee;

import static io.csi4j.client.model.CsiOperation.*;
import static io.csi4j.testkit.internal.referee.Toy.at;
import static io.csi4j.testkit.internal.referee.Toy.capabilities;
import static io.csi4j.testkit.internal.referee.Toy.capability;
import static io.csi4j.testkit.internal.referee.Toy.context;
import static io.csi4j.testkit.internal.referee.Toy.detached;
import static io.csi4j.testkit.internal.referee.Toy.id;
import static io.csi4j.testkit.internal.referee.Toy.unpublished;
import static io.csi4j.testkit.internal.referee.Toy.unstaged;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.PathFact;
import io.csi4j.testkit.model.PluginShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** What a caller does, and every duty that it breaks by that. */
final class Rows {

  /**
   * One caller.
   *
   * @param name what it does
   * @param toy with what it did
   * @param broken exactly the duties that it breaks
   */
  record Row(String name, Toy toy, Set<Integer> broken) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final Duration SOON = Duration.ofMillis(1);
  private static final String OTHER = "parameters { key: 'other' value: 'x' } ";
  private static final String SECRET = "secrets { key: 'k' value: 'canary' } ";
  private static final String WRITERS = "MULTI_NODE_MULTI_WRITER";
  private static final PluginShape FULL = PluginShape.full();
  private static final PluginShape HEALTHY =
      FULL.with(ControllerCapability.GET_VOLUME_HEALTH, ControllerCapability.LIST_VOLUME_HEALTH)
          .with(NodeCapability.GET_VOLUME_HEALTH, NodeCapability.GET_STORAGE_HEALTH);
  private static final String CAPABLE =
      "capabilities { service { type: CONTROLLER_SERVICE } } "
          + "capabilities { service { type: VOLUME_ACCESSIBILITY_CONSTRAINTS } } "
          + "capabilities { volume_expansion { type: ONLINE } } ";

  private final List<Row> rows = new ArrayList<>();

  private Rows() {}

  static List<Row> all() {
    Rows table = new Rows();
    table.requiredFields();
    table.values();
    table.gates();
    table.order();
    table.repeats();
    table.refusals();
    table.paths();
    table.contextsAndSecrets();
    table.modes();
    table.restOfAll();
    table.uncertain();
    table.told();
    table.health();
    table.lawful();
    return table.rows;
  }

  private void row(String name, PluginShape shape, Consumer<Toy> calls, Integer... broken) {
    Toy toy = Toy.introduced(shape);
    calls.accept(toy);
    rows.add(new Row(name, toy, new TreeSet<>(Arrays.asList(broken))));
  }

  private void row(String name, Consumer<Toy> calls, Integer... broken) {
    row(name, FULL, calls, broken);
  }

  private void lacks(
      CsiOperation operation, Consumer<Toy> setup, String request, String field, int... duties) {
    List<Integer> broken = new ArrayList<>(List.of(62));
    Arrays.stream(duties).forEach(broken::add);
    row(
        operation.rpcName() + " without " + field,
        toy -> {
          setup.accept(toy);
          toy.without(operation, request, field);
        },
        broken.toArray(Integer[]::new));
  }

  /** What is built on calls that may have failed. */
  private void uncertain() {
    row(
        "staged though nobody answered the attaching",
        toy -> toy.create("v1").lost(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1")).stage("v1"),
        138);
    row(
        "published though nobody answered the staging",
        toy ->
            toy.create("v1")
                .attach("v1")
                .lost(NODE_STAGE_VOLUME, toy.staged("v1"))
                .publish("v1", "/t/v1"),
        139);
    row(
        "published though nobody answered the attaching",
        PluginShape.noStaging(),
        toy ->
            toy.create("v1")
                .lost(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"))
                .publish("v1", "/t/v1"),
        140);
    row(
        "staged where the plugin told that it is attached",
        toy ->
            toy.create("v1")
                .lost(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"))
                .ok(
                    CONTROLLER_GET_VOLUME,
                    id("v1"),
                    Toy.made("v1") + "status { published_node_ids: 'node-1' }")
                .stage("v1"));
    row(
        "expanded on a node though nobody answered the staging",
        toy ->
            toy.create("v1")
                .attach("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, id("v1") + "capacity_range { required_bytes: 9 }")
                .lost(NODE_STAGE_VOLUME, toy.staged("v1"))
                .ok(NODE_EXPAND_VOLUME, id("v1") + at("v1") + "volume_path: '/s/v1'"),
        468);
    row(
        "a target where another volume may be",
        toy ->
            toy.create("v1")
                .attach("v1")
                .stage("v1")
                .create("v2")
                .attach("v2")
                .stage("v2")
                .lost(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/shared"))
                .publish("v2", "/t/shared"),
        406);
    row(
        "attached again after a detaching that may have been done",
        toy ->
            toy.create("v1")
                .fail(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"), StatusCode.ALREADY_EXISTS)
                .lost(CONTROLLER_UNPUBLISH_VOLUME, detached("v1", "node-1"))
                .fail(NODE_UNPUBLISH_VOLUME, unpublished("v1", "/t/v1"), StatusCode.ABORTED)
                .attach("v1"));
  }

  /** What only an answer of the plugin can have brought about. */
  private void told() {
    row(
        "capabilities read again before the version after an upgrade",
        toy ->
            toy.use("v1")
                .stop()
                .start(FULL.vendorVersion("9"))
                .ok(GET_PLUGIN_CAPABILITIES, "", CAPABLE)
                .ok(GET_PLUGIN_INFO, "", "name: 'toy' vendor_version: '9'")
                .leave("v1"));
    String token = "x".repeat(200);
    row(
        "a long token sent back",
        toy ->
            toy.ok(LIST_VOLUMES, "", "next_token: '" + token + "'")
                .ok(LIST_VOLUMES, "starting_token: '" + token + "'"));
    String node = "n".repeat(300);
    row(
        "a long node id sent back",
        toy ->
            toy.create("v1")
                .ok(NODE_GET_INFO, "", "node_id: '" + node + "'")
                .ok(
                    CONTROLLER_PUBLISH_VOLUME,
                    id("v1")
                        + "node_id: '"
                        + node
                        + "' "
                        + capability(toy.mode())
                        + context("v1")));
    row(
        "a target that the plugin left behind given to another volume",
        toy ->
            toy.use("v1")
                .unpublish("v1", "/t/v1")
                .create("v2")
                .attach("v2")
                .stage("v2")
                .at("target_path", PathFact.DIRECTORY)
                .ok(NODE_PUBLISH_VOLUME, toy.published("v2", "/t/v1")));
    row(
        "a volume of others whose context the listing leaves out",
        toy ->
            toy.ok(LIST_VOLUMES, "", "entries { volume { volume_id: 'v1' } }")
                .ok(
                    VALIDATE_VOLUME_CAPABILITIES,
                    id("v1") + capabilities(toy.mode()) + context("v1"))
                .attach("v1")
                .stage("v1")
                .publish("v1", "/t/v1"));
    row(
        "a volume of others whose context the listing tells",
        toy ->
            toy.ok(LIST_VOLUMES, "", "entries { volume { " + Toy.id("v1") + context("w") + "} }")
                .ok(
                    VALIDATE_VOLUME_CAPABILITIES,
                    id("v1") + capabilities(toy.mode()) + context("v1")),
        208,
        211,
        266);
    String segments = "segments { key: 'zone' value: 'b' } ";
    row(
        "a topology that a listing told",
        toy ->
            toy.meet("node-1", "accessible_topology { segments { key: 'zone' value: 'a' } }")
                .ok(
                    LIST_VOLUMES,
                    "",
                    "entries { volume { volume_id: 'v1' accessible_topology { "
                        + segments
                        + "} } }")
                .ok(
                    CREATE_VOLUME,
                    toy.created("v2")
                        + "accessibility_requirements { requisite { "
                        + segments
                        + "} }",
                    Toy.made("v2")));
  }

  private void requiredFields() {
    Toy like = Toy.introduced(FULL);
    Consumer<Toy> nothing = toy -> {};
    Consumer<Toy> created = toy -> toy.create("v1");
    Consumer<Toy> attached = toy -> toy.create("v1").attach("v1");
    Consumer<Toy> staged = toy -> toy.create("v1").attach("v1").stage("v1");
    Consumer<Toy> used = toy -> toy.use("v1");
    lacks(CREATE_VOLUME, nothing, like.created("v1"), "name", 169);
    lacks(CREATE_VOLUME, nothing, like.created("v1"), "volume_capabilities", 187, 63);
    lacks(DELETE_VOLUME, created, id("v1"), "volume_id", 225);
    lacks(CONTROLLER_PUBLISH_VOLUME, created, like.attached("v1"), "volume_id", 232);
    lacks(CONTROLLER_PUBLISH_VOLUME, created, like.attached("v1"), "node_id", 233);
    lacks(CONTROLLER_PUBLISH_VOLUME, created, like.attached("v1"), "volume_capability", 234);
    lacks(CONTROLLER_UNPUBLISH_VOLUME, attached, detached("v1", "node-1"), "volume_id", 251);
    String validated = id("v1") + context("v1") + capabilities(like.mode());
    lacks(VALIDATE_VOLUME_CAPABILITIES, created, validated, "volume_id", 260);
    lacks(VALIDATE_VOLUME_CAPABILITIES, created, validated, "volume_capabilities", 267, 63);
    lacks(CONTROLLER_GET_VOLUME, created, id("v1"), "volume_id", 283);
    String modified = id("v1") + "mutable_parameters { key: 'a' value: 'b' }";
    lacks(CONTROLLER_MODIFY_VOLUME, created, modified, "volume_id", 289);
    lacks(CONTROLLER_MODIFY_VOLUME, created, modified, "mutable_parameters", 290, 63);
    String cut = "name: 's' source_volume_id: 'v1'";
    lacks(CREATE_SNAPSHOT, created, cut, "source_volume_id", 306);
    lacks(CREATE_SNAPSHOT, created, cut, "name", 307);
    lacks(DELETE_SNAPSHOT, nothing, "snapshot_id: 's'", "snapshot_id", 329);
    lacks(GET_SNAPSHOT, nothing, "snapshot_id: 's'", "snapshot_id", 347);
    String grown = id("v1") + "capacity_range { required_bytes: 9 }";
    lacks(CONTROLLER_EXPAND_VOLUME, created, grown, "volume_id", 352);
    lacks(CONTROLLER_EXPAND_VOLUME, created, grown, "capacity_range", 353);
    lacks(NODE_STAGE_VOLUME, attached, like.staged("v1"), "volume_id", 371);
    lacks(NODE_STAGE_VOLUME, attached, like.staged("v1"), "staging_target_path", 372);
    lacks(NODE_STAGE_VOLUME, attached, like.staged("v1"), "volume_capability", 383);
    lacks(NODE_UNSTAGE_VOLUME, staged, unstaged("v1"), "volume_id", 391);
    lacks(NODE_UNSTAGE_VOLUME, staged, unstaged("v1"), "staging_target_path", 393);
    String published = like.published("v1", "/t/v1");
    lacks(NODE_PUBLISH_VOLUME, staged, published, "volume_id", 399);
    lacks(NODE_PUBLISH_VOLUME, staged, published, "target_path", 400);
    lacks(NODE_PUBLISH_VOLUME, staged, published, "volume_capability", 411);
    lacks(NODE_UNPUBLISH_VOLUME, used, unpublished("v1", "/t/v1"), "volume_id", 433);
    lacks(NODE_UNPUBLISH_VOLUME, used, unpublished("v1", "/t/v1"), "target_path", 434);
    String path = id("v1") + at("v1") + "volume_path: '/t/v1'";
    Consumer<Toy> expanded = toy -> toy.use("v1").ok(CONTROLLER_EXPAND_VOLUME, grown);
    lacks(NODE_GET_VOLUME_STATS, used, path, "volume_id", 441);
    lacks(NODE_GET_VOLUME_STATS, used, path, "volume_path", 442);
    lacks(NODE_EXPAND_VOLUME, expanded, path, "volume_path", 466);
    lacks(NODE_EXPAND_VOLUME, expanded, path, "volume_id", 465);
    String group = "name: 'g' source_volume_ids: 'v1'";
    lacks(CREATE_VOLUME_GROUP_SNAPSHOT, created, group, "name", 485);
    lacks(CREATE_VOLUME_GROUP_SNAPSHOT, created, group, "source_volume_ids", 486, 63);
    String members = "group_snapshot_id: 'g' snapshot_ids: 'm'";
    lacks(DELETE_VOLUME_GROUP_SNAPSHOT, nothing, members, "group_snapshot_id", 500);
    lacks(DELETE_VOLUME_GROUP_SNAPSHOT, nothing, members, "snapshot_ids", 501, 63);
    lacks(GET_VOLUME_GROUP_SNAPSHOT, nothing, members, "group_snapshot_id", 508);
    lacks(GET_VOLUME_GROUP_SNAPSHOT, nothing, members, "snapshot_ids", 509, 63);
    lacks(GET_METADATA_ALLOCATED, nothing, "snapshot_id: 's'", "snapshot_id", 525);
    String delta = "base_snapshot_id: 'a' target_snapshot_id: 'b'";
    lacks(GET_METADATA_DELTA, nothing, delta, "base_snapshot_id", 526);
    lacks(GET_METADATA_DELTA, nothing, delta, "target_snapshot_id", 527);
  }

  private void created(String name, String more, Integer... broken) {
    row(name, toy -> toy.ok(CREATE_VOLUME, toy.created("v1") + more, Toy.made("v1")), broken);
  }

  private void values() {
    created("a name of 129 bytes", "name: '" + "n".repeat(129) + "'", 55);
    created("parameters of 4 KiB", "parameters { key: 'k' value: '" + "x".repeat(4096) + "' }", 56);
    created("a control character in a volume's name", "name: 'a\\001'", 66);
    row(
        "control characters in names of snapshots",
        toy ->
            toy.ok(CREATE_SNAPSHOT, "name: 'a\\002' source_volume_id: 'v'")
                .ok(CREATE_VOLUME_GROUP_SNAPSHOT, "name: 'a\\302\\205' source_volume_ids: 'v'"),
        67,
        68);
    created("a secret under a key with a space", "secrets { key: 'a b' value: 'x' }", 92);
    created("an empty capacity range", "capacity_range {}", 182);
    created("a negative size", "capacity_range { limit_bytes: -1 }", 184);
    created(
        "more required than allowed", "capacity_range { required_bytes: 2 limit_bytes: 1 }", 185);
    created("a good range", "capacity_range { required_bytes: 1 limit_bytes: 1 }");
    row(
        "a capability of no kind",
        toy ->
            toy.ok(
                CREATE_VOLUME,
                "name: 'n' volume_capabilities { access_mode { mode: SINGLE_NODE_WRITER } }"),
        188);
    row(
        "a capability without a mode",
        toy -> toy.ok(CREATE_VOLUME, "name: 'n' volume_capabilities { mount {} }"),
        62,
        189);
    row(
        "an unknown mode",
        toy -> toy.ok(CREATE_VOLUME, "name: 'n' volume_capabilities { block {} access_mode {} }"),
        190);
    created("empty accessibility requirements", "accessibility_requirements {}", 196);
    String zone =
        "accessibility_requirements { requisite { segments { key: '%s' value: '%s' } } } ";
    created(
        "a preferred zone that is not requisite",
        zone.formatted("z", "a")
            + "accessibility_requirements { preferred { segments { key: 'z' value: 'b' } } }",
        198);
    created(
        "a preferred zone that is requisite",
        zone.formatted("z", "a")
            + "accessibility_requirements { preferred { segments { key: 'z' value: 'a' } } }");
    created("a topology key with a space", zone.formatted("a b", "x"), 217);
    created("a topology prefix in upper case", zone.formatted("UP/a", "x"), 218);
    created("a topology value with a space", zone.formatted("a", "x y"), 219);
    created("a content source of nothing", "volume_content_source {}", 201);
    row(
        "mount flags of 4 KiB",
        toy ->
            toy.create("v1")
                .attach("v1", mounted("f".repeat(4097)))
                .stage("v1", mounted("f".repeat(4097))),
        61);
    row(
        "few mount flags",
        toy -> toy.create("v1").attach("v1", mounted("ro")).stage("v1", mounted("ro")));
    row(
        "a staging path of 130 bytes",
        toy ->
            toy.create("v1")
                .attach("v1")
                .stage("v1", "staging_target_path: '/" + "s".repeat(129) + "'"),
        59);
    String longNode = "n".repeat(200);
    row(
        "a node id cut short",
        toy -> toy.meet(longNode).create("v1").attach("v1", "node_id: '" + "n".repeat(128) + "'"),
        60,
        233,
        458,
        563);
    row("a long node id", toy -> toy.meet(longNode).create("v1").attach("v1"));
    row(
        "ids of the plugin that are too long",
        toy ->
            toy.ok(CREATE_VOLUME, toy.created("v"), Toy.made("v".repeat(150)))
                .delete("v".repeat(150)));
  }

  private void gate(
      CsiOperation operation, ControllerCapability capability, String request, int duty) {
    row(
        operation + " without " + capability,
        FULL.without(capability),
        toy -> toy.ok(operation, request),
        110,
        duty);
  }

  private void gates() {
    rows.add(
        new Row(
            "no introduction", new Toy(FULL).ok(CONTROLLER_GET_CAPABILITIES, ""), Set.of(5, 25)));
    Toy unasked = new Toy(FULL).ok(PROBE, "").ok(LIST_VOLUMES, "");
    rows.add(new Row("a listing before any question", unasked, Set.of(110, 305)));
    Toy group = new Toy(FULL).ok(PROBE, "");
    group.ok(CREATE_VOLUME_GROUP_SNAPSHOT, "name: 'g' source_volume_ids: 'v'");
    rows.add(new Row("a group before any question", group, Set.of(110, 484)));
    row(
        "statistics of a node that was not asked",
        toy ->
            toy.on("node-2")
                .ok(PROBE, "")
                .ok(NODE_GET_VOLUME_STATS, id("v1") + at("v1") + "volume_path: '/t/v1'"),
        110,
        453,
        557);
    row(
        "a controller call without a controller",
        PluginShape.nodeOnly(),
        toy -> toy.ok(CONTROLLER_GET_CAPABILITIES, ""),
        102);
    row(
        "another version",
        toy ->
            toy.stop()
                .start(FULL.vendorVersion("2"))
                .ok(GET_PLUGIN_INFO, "", "name: 'toy' vendor_version: '2'")
                .create("v1"),
        103);
    row(
        "another version, asked again",
        toy -> toy.start(FULL.vendorVersion("2")).introduce().create("v1"));
    row(
        "a group call without the service",
        FULL.without(PluginCapability.GROUP_CONTROLLER_SERVICE),
        toy -> toy.ok(GROUP_CONTROLLER_GET_CAPABILITIES, ""),
        105);
    row(
        "metadata without the service",
        FULL.without(PluginCapability.SNAPSHOT_METADATA_SERVICE),
        toy -> toy.ok(GET_METADATA_ALLOCATED, "snapshot_id: 's'"),
        106,
        110);
    gate(
        CREATE_VOLUME,
        ControllerCapability.CREATE_DELETE_VOLUME,
        "name: 'n' " + capabilities(WRITERS),
        111);
    gate(LIST_VOLUMES, ControllerCapability.LIST_VOLUMES, "", 113);
    gate(GET_CAPACITY, ControllerCapability.GET_CAPACITY, "", 114);
    gate(CONTROLLER_LIST_VOLUME_HEALTH, ControllerCapability.LIST_VOLUME_HEALTH, "", 537);
    row(
        "the health of a volume without a capability for it",
        toy -> toy.create("v1").ok(CONTROLLER_GET_VOLUME_HEALTH, id("v1")),
        110,
        538);
    row(
        "the health of a volume on a node without the capability",
        toy -> toy.use("v1").ok(NODE_GET_VOLUME_HEALTH, id("v1")),
        110,
        540);
    row(
        "the health of the storage without the capability",
        toy -> toy.ok(NODE_GET_STORAGE_HEALTH, ""),
        110,
        542);
    row(
        "the calls for health",
        HEALTHY,
        toy ->
            toy.use("v1")
                .ok(CONTROLLER_LIST_VOLUME_HEALTH, "")
                .ok(CONTROLLER_GET_VOLUME_HEALTH, id("v1"))
                .ok(NODE_GET_VOLUME_HEALTH, id("v1"))
                .ok(NODE_GET_STORAGE_HEALTH, ""));
    row(
        "the health of a volume from a plugin that lists it",
        FULL.with(ControllerCapability.LIST_VOLUME_HEALTH),
        toy -> toy.create("v1").ok(CONTROLLER_GET_VOLUME_HEALTH, id("v1")));
    row(
        "the health of no volume",
        HEALTHY,
        toy -> toy.ok(CONTROLLER_GET_VOLUME_HEALTH, "").ok(NODE_GET_VOLUME_HEALTH, ""),
        62,
        539,
        541);
    gate(
        CREATE_SNAPSHOT,
        ControllerCapability.CREATE_DELETE_SNAPSHOT,
        "name: 'n' source_volume_id: 'v1'",
        115);
    gate(LIST_SNAPSHOTS, ControllerCapability.LIST_SNAPSHOTS, "", 116);
    gate(CONTROLLER_GET_VOLUME, ControllerCapability.GET_VOLUME, id("v1"), 125);
    gate(
        CONTROLLER_MODIFY_VOLUME,
        ControllerCapability.MODIFY_VOLUME,
        id("v1") + "mutable_parameters { key: 'a' value: 'b' }",
        552);
    gate(GET_SNAPSHOT, ControllerCapability.GET_SNAPSHOT, "snapshot_id: 's'", 129);
    row(
        "the reading calls",
        toy ->
            toy.create("v1")
                .ok(LIST_VOLUMES, "")
                .ok(GET_CAPACITY, "")
                .ok(LIST_SNAPSHOTS, "")
                .ok(CONTROLLER_GET_VOLUME, id("v1"))
                .ok(
                    CONTROLLER_MODIFY_VOLUME,
                    id("v1") + "mutable_parameters { key: 'a' value: 'b' }")
                .ok(GET_SNAPSHOT, "snapshot_id: 's'")
                .ok(GET_METADATA_ALLOCATED, "snapshot_id: 's'"));
    row(
        "expansion by a controller that cannot",
        FULL.without(ControllerCapability.EXPAND_VOLUME),
        toy ->
            toy.create("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, id("v1") + "capacity_range { required_bytes: 1 }"),
        109,
        110,
        119);
    row(
        "an attachment by a plugin that does not attach",
        PluginShape.noAttach(),
        toy -> toy.create("v1").ok(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1")),
        110,
        112);
    row(
        "a staging by a plugin that does not stage",
        PluginShape.noStaging(),
        toy -> toy.create("v1").attach("v1").ok(NODE_STAGE_VOLUME, toy.staged("v1")),
        110,
        130);
    row(
        "a staging by a plugin that only publishes",
        PluginShape.plain(),
        toy -> toy.create("v1").ok(NODE_STAGE_VOLUME, toy.staged("v1") + at("v1")),
        110,
        130,
        150);
    row(
        "a clone",
        FULL.without(ControllerCapability.CLONE_VOLUME),
        toy ->
            toy.create("v0")
                .ok(
                    CREATE_VOLUME,
                    toy.created("v1") + "volume_content_source { volume { volume_id: 'v0' } }"),
        117,
        202);
    row(
        "a lawful clone",
        toy ->
            toy.create("v0")
                .ok(
                    CREATE_VOLUME,
                    toy.created("v1") + "volume_content_source { volume { volume_id: 'v0' } }"));
    row(
        "a snapshot as source",
        FULL.without(ControllerCapability.CREATE_DELETE_SNAPSHOT),
        toy ->
            toy.ok(
                CREATE_VOLUME,
                toy.created("v1") + "volume_content_source { snapshot { snapshot_id: 's' } }"),
        202);
    row(
        "readonly attached",
        FULL.without(ControllerCapability.PUBLISH_READONLY),
        toy -> toy.create("v1").attach("v1", "readonly: true"),
        118,
        235);
    row(
        "readonly attached where that is offered",
        toy -> toy.create("v1").attach("v1", "readonly: true"));
    row(
        "a new mode at the controller",
        FULL.without(ControllerCapability.SINGLE_NODE_MULTI_WRITER),
        toy -> toy.create("v1", "SINGLE_NODE_SINGLE_WRITER"),
        126);
    row(
        "a new mode at the node",
        FULL.without(NodeCapability.SINGLE_NODE_MULTI_WRITER),
        toy ->
            toy.create("v1", "SINGLE_NODE_SINGLE_WRITER")
                .attach("v1", capability("SINGLE_NODE_SINGLE_WRITER"))
                .stage("v1", capability("SINGLE_NODE_SINGLE_WRITER")),
        127);
    row(
        "statistics",
        FULL.without(NodeCapability.GET_VOLUME_STATS, NodeCapability.VOLUME_CONDITION),
        toy ->
            toy.use("v1").ok(NODE_GET_VOLUME_STATS, id("v1") + at("v1") + "volume_path: '/t/v1'"),
        110,
        131);
    row(
        "expansion on a node that cannot",
        FULL.without(NodeCapability.EXPAND_VOLUME),
        toy ->
            toy.use("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, id("v1") + "capacity_range { required_bytes: 1 }")
                .ok(NODE_EXPAND_VOLUME, id("v1") + at("v1") + "volume_path: '/t/v1'"),
        110,
        132);
    String grouped = "volume_capability { mount { volume_mount_group: 'g' } }";
    row(
        "a mount group",
        FULL.without(NodeCapability.VOLUME_MOUNT_GROUP),
        toy -> toy.create("v1").attach("v1").stage("v1", grouped),
        133,
        426);
    row("a lawful mount group", toy -> toy.create("v1").attach("v1").stage("v1", grouped));
    row(
        "a group snapshot",
        FULL.without(GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),
        toy ->
            toy.create("v1").ok(CREATE_VOLUME_GROUP_SNAPSHOT, "name: 'g' source_volume_ids: 'v1'"),
        110,
        134);
    String mutable = "mutable_parameters { key: 'a' value: 'b' } ";
    row(
        "mutable parameters",
        FULL.without(ControllerCapability.MODIFY_VOLUME),
        toy -> toy.ok(CREATE_VOLUME, toy.created("v1") + mutable, Toy.made("v1")),
        128,
        192);
    row(
        "mutable parameters validated",
        FULL.without(ControllerCapability.MODIFY_VOLUME),
        toy ->
            toy.create("v1")
                .ok(
                    VALIDATE_VOLUME_CAPABILITIES,
                    id("v1") + context("v1") + capabilities(WRITERS) + mutable),
        268);
    row(
        "lawful mutable parameters",
        toy ->
            toy.ok(CREATE_VOLUME, toy.created("v1") + mutable, Toy.made("v1"))
                .ok(
                    VALIDATE_VOLUME_CAPABILITIES,
                    id("v1") + context("v1") + capabilities(WRITERS) + mutable));
    String zone = "{ segments { key: 'z' value: 'a' } } ";
    PluginShape anywhere = FULL.without(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);
    row(
        "a zone where there are none",
        anywhere,
        toy ->
            toy.ok(
                CREATE_VOLUME,
                toy.created("v1") + "accessibility_requirements { requisite " + zone + "}",
                Toy.made("v1")),
        195);
    row(
        "the capacity of a zone where there are none",
        anywhere,
        toy -> toy.ok(GET_CAPACITY, "accessible_topology " + zone),
        299);
    row("the capacity of a zone", toy -> toy.ok(GET_CAPACITY, "accessible_topology " + zone));
    row(
        "a zone that no node is in",
        toy ->
            toy.meet("node-2", "accessible_topology { segments { key: 'z' value: 'b' } }")
                .ok(
                    CREATE_VOLUME,
                    toy.created("v1") + "accessibility_requirements { requisite " + zone + "}",
                    Toy.made("v1")),
        564);
    row(
        "a zone that only a snapshot has told",
        PluginShape.full113(),
        toy ->
            toy.meet("node-2", "accessible_topology { segments { key: 'z' value: 'b' } }")
                .create("v1")
                .ok(
                    CREATE_SNAPSHOT,
                    "name: 's' source_volume_id: 'v1'",
                    "snapshot { snapshot_id: 's1' source_volume_id: 'v1' ready_to_use: true"
                        + " accessible_topology "
                        + zone
                        + "}")
                .ok(
                    CREATE_VOLUME,
                    toy.created("v2") + "accessibility_requirements { requisite " + zone + "}",
                    Toy.made("v2")));
    Consumer<Toy> zoned =
        toy ->
            toy.meet("node-2", "accessible_topology { segments { key: 'Z' value: 'a' } }")
                .ok(
                    CREATE_VOLUME,
                    toy.created("v1") + "accessibility_requirements { requisite " + zone + "}",
                    "volume { volume_id: 'v1' "
                        + context("v1")
                        + "accessible_topology "
                        + zone
                        + "}");
    row("a zone that a node is in", zoned.andThen(toy -> toy.attach("v1")));
    row(
        "a volume attached where it cannot be reached",
        zoned.andThen(toy -> toy.on("node-1").attach("v1")),
        104);
    row(
        "a call to a plugin that is not ready",
        toy -> toy.ok(PROBE, "", "ready { value: false }").ok(LIST_VOLUMES, ""),
        162);
    row(
        "a second probe of a plugin that is not ready",
        toy -> toy.ok(PROBE, "", "ready { value: false }").ok(PROBE, "").ok(LIST_VOLUMES, ""));
    row(
        "a call to the plugin that came after one that was not ready",
        toy -> toy.ok(PROBE, "", "ready { value: false }").stop().ok(LIST_VOLUMES, ""));
  }

  private void order() {
    row("no attachment", toy -> toy.create("v1").stage("v1"), 138);
    row(
        "an attachment elsewhere",
        toy ->
            toy.meet("node-2").create("v1").attach("v1").on("node-1").stage("v1", toy.given("v1")),
        138,
        374);
    row("no staging", toy -> toy.create("v1").attach("v1").publish("v1", "/t/v1"), 139);
    row(
        "no attachment and no staging",
        PluginShape.noStaging(),
        toy -> toy.create("v1").publish("v1", "/t/v1"),
        140);
    row(
        "a publication on the wrong node",
        PluginShape.noStaging(),
        toy -> toy.meet("node-2").create("v1").attach("v1").on("node-1").publish("v1", "/t/v1"),
        140,
        401);
    row(
        "a second staging path",
        toy -> toy.use("v1").stage("v1", "staging_target_path: '/s/other'"),
        141,
        378);
    row("a second staging at the same path", toy -> toy.use("v1").stage("v1"), 373);
    row("unstaged while published", toy -> toy.use("v1").unstage("v1"), 142, 143, 149);
    row(
        "unstaged after a failed unpublication",
        toy ->
            toy.use("v1")
                .fail(NODE_UNPUBLISH_VOLUME, unpublished("v1", "/t/v1"), StatusCode.INTERNAL)
                .unstage("v1"),
        142,
        143);
    row(
        "detached while staged",
        toy -> toy.create("v1").attach("v1").stage("v1").detach("v1"),
        145,
        146,
        148);
    row(
        "detached while published",
        PluginShape.noStaging(),
        toy -> toy.use("v1").detach("v1"),
        146,
        147,
        149);
    row(
        "detached from everywhere while staged",
        toy -> toy.create("v1").attach("v1").stage("v1").ok(CONTROLLER_UNPUBLISH_VOLUME, id("v1")),
        145,
        146,
        148);
    row("deleted while attached", toy -> toy.create("v1").attach("v1").delete("v1"), 152);
    row("deleted while in use", toy -> toy.use("v1").delete("v1"), 152);
    row("deleted after its use", toy -> toy.use("v1").leave("v1").delete("v1"));
    row(
        "a pre-provisioned volume deleted",
        toy ->
            toy.ok(VALIDATE_VOLUME_CAPABILITIES, id("old") + capabilities(WRITERS)).delete("old"),
        151);
    row(
        "a pre-provisioned volume not validated",
        toy -> toy.ok(CONTROLLER_PUBLISH_VOLUME, toy.attached("old")),
        261);
    row(
        "a pre-provisioned volume validated",
        toy ->
            toy.ok(VALIDATE_VOLUME_CAPABILITIES, id("old") + capabilities(WRITERS))
                .ok(CONTROLLER_PUBLISH_VOLUME, toy.attached("old")));
    row(
        "a lost staging left behind",
        toy -> toy.create("v1").attach("v1").lost(NODE_STAGE_VOLUME, toy.staged("v1")).detach("v1"),
        74,
        75,
        77);
    row(
        "a lost publication left behind",
        toy ->
            toy.create("v1")
                .attach("v1")
                .stage("v1")
                .lost(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/v1"))
                .unstage("v1"),
        74,
        75,
        77);
    row(
        "a lost attachment left behind",
        toy -> toy.create("v1").lost(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1")).delete("v1"),
        74,
        75,
        77);
    row(
        "a lost staging undone",
        toy ->
            toy.create("v1")
                .attach("v1")
                .lost(NODE_STAGE_VOLUME, toy.staged("v1"))
                .unstage("v1")
                .detach("v1"));
    row(
        "a lost staging repeated",
        toy ->
            toy.create("v1")
                .attach("v1")
                .lost(NODE_STAGE_VOLUME, toy.staged("v1"))
                .stage("v1")
                .publish("v1", "/t/v1"));
    row(
        "unstaged at another path",
        toy ->
            toy.create("v1")
                .attach("v1")
                .stage("v1")
                .ok(NODE_UNSTAGE_VOLUME, id("v1") + "staging_target_path: '/s/other'"),
        555);
    row(
        "unstaged on another node",
        toy ->
            toy.create("v1")
                .attach("v1")
                .stage("v1")
                .meet("node-2")
                .ok(NODE_UNSTAGE_VOLUME, unstaged("v1")),
        392);
    row(
        "published from another staging path",
        toy ->
            toy.create("v1")
                .attach("v1")
                .stage("v1")
                .publish("v1", "/t/v1", "staging_target_path: '/s/other'"),
        404);
    row("unpublished at another path", toy -> toy.use("v1").unpublish("v1", "/t/other"), 556);
    row(
        "unpublished on another node",
        toy -> toy.use("v1").meet("node-2").unpublish("v1", "/t/v1"),
        436);
    row(
        "two workloads",
        toy ->
            toy.create("v1", WRITERS)
                .attach("v1", capability(WRITERS))
                .stage("v1", capability(WRITERS))
                .publish("v1", "/t/a", capability(WRITERS))
                .publish("v1", "/t/b", capability(WRITERS))
                .unpublish("v1", "/t/a")
                .unpublish("v1", "/t/b")
                .unstage("v1")
                .detach("v1")
                .delete("v1"));
  }

  private void repeats() {
    row(
        "two calls for a volume",
        toy -> {
          toy.create("v1");
          long first = toy.begin(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"));
          long second = toy.begin(CONTROLLER_GET_VOLUME, id("v1"));
          toy.end(first, Toy.answered(CONTROLLER_PUBLISH_VOLUME, ""), true);
          toy.end(second, Toy.answered(CONTROLLER_GET_VOLUME, ""), true);
        },
        49,
        50);
    row(
        "two calls for a volume that never end",
        toy -> {
          toy.create("v1");
          toy.begin(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"));
          toy.begin(CONTROLLER_GET_VOLUME, id("v1"));
        },
        49,
        50);
    row(
        "a call after one that was given up",
        toy -> {
          toy.create("v1");
          long first = toy.begin(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"));
          long second = toy.begin(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"));
          toy.end(first, new CallEnd.Abandoned(), false);
          toy.end(second, Toy.answered(CONTROLLER_PUBLISH_VOLUME, toy.given("v1")), true);
        });
    row(
        "two creations of a name",
        toy -> {
          long first = toy.begin(CREATE_VOLUME, toy.created("v1"));
          long second = toy.begin(CREATE_VOLUME, toy.created("v1"));
          toy.end(first, Toy.answered(CREATE_VOLUME, Toy.made("v1")), true);
          toy.end(second, Toy.answered(CREATE_VOLUME, Toy.made("v1")), true);
        },
        51);
    row(
        "two calls for a snapshot",
        toy -> {
          long first = toy.begin(DELETE_SNAPSHOT, "snapshot_id: 's'");
          long second = toy.begin(DELETE_SNAPSHOT, "snapshot_id: 's'");
          toy.end(first, Toy.answered(DELETE_SNAPSHOT, ""), true);
          toy.end(second, Toy.answered(DELETE_SNAPSHOT, ""), true);
        },
        54);
    row(
        "a creation repeated with another size",
        toy ->
            toy.lost(CREATE_VOLUME, toy.created("v1"))
                .ok(
                    CREATE_VOLUME,
                    toy.created("v1") + "capacity_range { limit_bytes: 1 }",
                    Toy.made("v1")),
        73,
        171);
    row(
        "a creation repeated with other secrets",
        toy ->
            toy.lost(CREATE_VOLUME, toy.created("v1"))
                .ok(CREATE_VOLUME, toy.created("v1") + SECRET, Toy.made("v1")));
    row(
        "a lost attachment repeated for reading only",
        toy ->
            toy.create("v1")
                .lost(CONTROLLER_PUBLISH_VOLUME, toy.attached("v1"))
                .attach("v1", "readonly: true"),
        73);
    row(
        "a staging repeated with another mode",
        toy ->
            toy.create("v1", toy.mode(), WRITERS)
                .attach("v1")
                .stage("v1")
                .stage("v1", capability(WRITERS)),
        554);
    row(
        "the progress of another snapshot",
        toy ->
            toy.create("v1")
                .snapshot("s1", "v1", false)
                .ok(CREATE_SNAPSHOT, "name: 'n-s1' source_volume_id: 'v1' " + OTHER),
        308);
    row(
        "the progress of a snapshot",
        toy -> toy.create("v1").snapshot("s1", "v1", false).snapshot("s1", "v1", true));
    row(
        "the progress of another group",
        toy ->
            toy.create("v1")
                .group("g1", "m1", "v1", false)
                .ok(CREATE_VOLUME_GROUP_SNAPSHOT, "name: 'n-g1' source_volume_ids: 'v1' " + OTHER),
        487,
        488);
    row(
        "the progress of a group",
        toy -> toy.create("v1").group("g1", "m1", "v1", false).group("g1", "m1", "v1", true));
  }

  private void changed(
      CsiOperation operation, StatusCode code, String request, String change, Integer... broken) {
    Consumer<Toy> setup = toy -> toy.use("v1").create("v2").attach("v2");
    row(
        operation + " unchanged after " + code,
        setup.andThen(toy -> toy.fail(operation, request, code).fail(operation, request, code)),
        broken);
    row(
        operation + " changed after " + code,
        setup.andThen(toy -> toy.fail(operation, request, code).ok(operation, request + change)));
  }

  private void loop(CsiOperation operation, StatusCode code, String request, int broken) {
    row(
        operation + " in a loop after " + code,
        toy -> toy.create("v1").failing(3, Duration.ofSeconds(9), operation, request, code),
        broken);
    row(
        operation + " once more after " + code,
        toy -> toy.create("v1").failing(2, Duration.ofSeconds(9), operation, request, code));
  }

  private void hammered(
      CsiOperation operation, StatusCode code, String request, Consumer<Toy> setup, int broken) {
    row(
        operation + " without a pause after " + code,
        setup.andThen(toy -> toy.failing(6, SOON, operation, request, code)),
        broken);
    row(
        operation + " with pauses after " + code,
        setup.andThen(toy -> toy.failing(6, Duration.ofSeconds(1), operation, request, code)));
  }

  private void refusals() {
    Toy like = Toy.introduced(FULL);
    Consumer<Toy> created = toy -> toy.create("v1");
    Consumer<Toy> attached = toy -> toy.create("v1").attach("v1");
    Consumer<Toy> staged = toy -> toy.create("v1").attach("v1").stage("v1");
    Consumer<Toy> used = toy -> toy.use("v1");
    Consumer<Toy> old =
        toy -> toy.ok(VALIDATE_VOLUME_CAPABILITIES, id("old") + capabilities(WRITERS));
    StatusCode invalid = StatusCode.INVALID_ARGUMENT;
    StatusCode exists = StatusCode.ALREADY_EXISTS;
    StatusCode range = StatusCode.OUT_OF_RANGE;
    StatusCode missing = StatusCode.NOT_FOUND;
    StatusCode state = StatusCode.FAILED_PRECONDITION;
    StatusCode full = StatusCode.RESOURCE_EXHAUSTED;
    row(
        "an incomplete request repeated",
        toy ->
            toy.fail(CREATE_VOLUME, capabilities(WRITERS), invalid)
                .fail(CREATE_VOLUME, capabilities(WRITERS), invalid),
        62,
        79,
        169);
    row(
        "an incomplete request changed",
        toy ->
            toy.fail(CREATE_VOLUME, capabilities(WRITERS), invalid)
                .fail(CREATE_VOLUME, capabilities(WRITERS) + OTHER, invalid),
        62,
        169);
    changed(CREATE_VOLUME, invalid, like.created("v9"), OTHER, 80);
    changed(
        CREATE_VOLUME,
        invalid,
        like.created("v9") + "volume_content_source { snapshot { snapshot_id: 's' } } ",
        OTHER,
        80,
        220);
    loop(CREATE_VOLUME, StatusCode.UNAUTHENTICATED, like.created("v9"), 85);
    row(
        "other secrets after each UNAUTHENTICATED",
        toy -> {
          for (String key : List.of("a", "b", "c")) {
            String secret = "secrets { key: '" + key + "' value: 'canary' } ";
            toy.fail(CREATE_VOLUME, like.created("v9") + secret, StatusCode.UNAUTHENTICATED);
          }
        });
    changed(CREATE_VOLUME, exists, like.created("v9"), OTHER, 222);
    changed(CREATE_VOLUME, range, like.created("v9"), OTHER, 224);
    changed(CONTROLLER_PUBLISH_VOLUME, exists, like.attached("v2"), "readonly: true", 248);
    changed(CREATE_SNAPSHOT, exists, "name: 's' source_volume_id: 'v1' ", OTHER, 326);
    row(
        "a member of a group deleted again",
        toy ->
            toy.fail(DELETE_SNAPSHOT, "snapshot_id: 's'", invalid)
                .fail(DELETE_SNAPSHOT, "snapshot_id: 's'", invalid),
        334);
    row(
        "a group deleted instead of its member",
        toy ->
            toy.fail(DELETE_SNAPSHOT, "snapshot_id: 's'", invalid)
                .ok(DELETE_VOLUME_GROUP_SNAPSHOT, "group_snapshot_id: 'g' snapshot_ids: 's'"));
    String grown = id("v2") + "capacity_range { required_bytes: 9 } ";
    changed(CONTROLLER_EXPAND_VOLUME, range, grown, "capacity_range { limit_bytes: 99 }", 370);
    changed(
        NODE_STAGE_VOLUME,
        exists,
        like.staged("v2"),
        "volume_capability { mount { volume_mount_group: '7' } }",
        389);
    String second = like.published("v1", "/t/v1");
    changed(NODE_PUBLISH_VOLUME, exists, second, "", 430);
    rows.remove(rows.size() - 1);
    row(
        "NODE_PUBLISH_VOLUME changed after ALREADY_EXISTS",
        staged.andThen(
            toy ->
                toy.fail(NODE_PUBLISH_VOLUME, second, exists)
                    .ok(NODE_PUBLISH_VOLUME, second + "readonly: true")));
    String here = id("v1") + at("v1") + "volume_path: '/t/v1' ";
    Consumer<Toy> expanded =
        used.andThen(
            toy ->
                toy.ok(
                    CONTROLLER_EXPAND_VOLUME, id("v1") + "capacity_range { required_bytes: 9 } "));
    for (StatusCode code : List.of(state, range)) {
      int duty = code == state ? 482 : 483;
      row(
          "NODE_EXPAND_VOLUME unchanged after " + code,
          expanded.andThen(
              toy -> toy.fail(NODE_EXPAND_VOLUME, here, code).fail(NODE_EXPAND_VOLUME, here, code)),
          duty);
      row(
          "NODE_EXPAND_VOLUME changed after " + code,
          expanded.andThen(
              toy ->
                  toy.fail(NODE_EXPAND_VOLUME, here, code)
                      .ok(NODE_EXPAND_VOLUME, here + "capacity_range { limit_bytes: 99 }")));
    }
    changed(CREATE_VOLUME_GROUP_SNAPSHOT, exists, "name: 'g' source_volume_ids: 'v1' ", OTHER, 497);
    String members = "group_snapshot_id: 'g' snapshot_ids: 'm' ";
    changed(DELETE_VOLUME_GROUP_SNAPSHOT, invalid, members, "snapshot_ids: 'o'", 505);
    changed(GET_VOLUME_GROUP_SNAPSHOT, invalid, members, "snapshot_ids: 'o'", 512);
    String cut = "snapshot_id: 's' ";
    changed(GET_METADATA_ALLOCATED, invalid, cut, "max_results: 1", 529);
    changed(GET_METADATA_ALLOCATED, range, cut, "max_results: 1", 531);
    String delta = "base_snapshot_id: 'a' target_snapshot_id: 'b' ";
    changed(GET_METADATA_DELTA, invalid, delta, "max_results: 1", 532);
    changed(GET_METADATA_DELTA, range, delta, "max_results: 1", 535);
    changed(GET_METADATA_DELTA, state, delta, "max_results: 1", 534);
    loop(CREATE_VOLUME, StatusCode.PERMISSION_DENIED, like.created("v9"), 81);
    loop(CREATE_SNAPSHOT, full, "name: 's' source_volume_id: 'v1'", 328);
    loop(CREATE_VOLUME_GROUP_SNAPSHOT, state, "name: 'g' source_volume_ids: 'v1'", 498);
    String both = "name: 'g' source_volume_ids: 'v1' source_volume_ids: 'v2' ";
    String faster = "mutable_parameters { key: 'iops' value: '9' } ";
    row(
        "a group snapshot asked for again after each change of a volume",
        toy ->
            toy.create("v1")
                .create("v2")
                .fail(CREATE_VOLUME_GROUP_SNAPSHOT, both, state)
                .ok(CONTROLLER_MODIFY_VOLUME, Toy.id("v1") + faster)
                .fail(CREATE_VOLUME_GROUP_SNAPSHOT, both, state)
                .ok(CONTROLLER_MODIFY_VOLUME, Toy.id("v2") + faster)
                .fail(CREATE_VOLUME_GROUP_SNAPSHOT, both, state));
    row(
        "a group snapshot asked for again after changes of another volume",
        toy ->
            toy.create("v1")
                .create("v2")
                .create("v3")
                .fail(CREATE_VOLUME_GROUP_SNAPSHOT, both, state)
                .ok(CONTROLLER_MODIFY_VOLUME, Toy.id("v3") + faster)
                .fail(CREATE_VOLUME_GROUP_SNAPSHOT, both, state)
                .ok(CONTROLLER_MODIFY_VOLUME, Toy.id("v3") + faster)
                .fail(CREATE_VOLUME_GROUP_SNAPSHOT, both, state),
        498);
    row(
        "a snapshot asked for again after each change of its volume",
        toy ->
            toy.create("v1")
                .fail(CREATE_SNAPSHOT, "name: 's' source_volume_id: 'v1'", full)
                .ok(CONTROLLER_MODIFY_VOLUME, Toy.id("v1") + faster)
                .fail(CREATE_SNAPSHOT, "name: 's' source_volume_id: 'v1'", full)
                .ok(CONTROLLER_MODIFY_VOLUME, Toy.id("v1") + faster)
                .fail(CREATE_SNAPSHOT, "name: 's' source_volume_id: 'v1'", full));
    String taken = "name: 's' source_volume_id: 'v1'";
    Consumer<Toy> takenAgain =
        toy ->
            toy.create("v1")
                .fail(CREATE_SNAPSHOT, taken, full)
                .ok(CONTROLLER_MODIFY_VOLUME, Toy.id("v1") + faster)
                .fail(CREATE_SNAPSHOT, taken, full)
                .fail(CREATE_SNAPSHOT, taken, full);
    row("a snapshot asked for again once after a change of its volume", takenAgain);
    row(
        "a snapshot asked for again and again after a change of its volume",
        takenAgain.andThen(toy -> toy.fail(CREATE_SNAPSHOT, taken, full)),
        328);
    for (StatusCode code : List.of(StatusCode.PERMISSION_DENIED, StatusCode.UNAUTHENTICATED)) {
      Consumer<Toy> otherwise =
          toy ->
              toy.fail(CREATE_VOLUME, like.created("v9"), code)
                  .fail(CREATE_VOLUME, like.created("v9") + OTHER, code)
                  .fail(CREATE_VOLUME, like.created("v9") + OTHER, code);
      row("another request repeated once after " + code, otherwise);
      row(
          "another request in a loop after " + code,
          otherwise.andThen(toy -> toy.fail(CREATE_VOLUME, like.created("v9") + OTHER, code)),
          code == StatusCode.PERMISSION_DENIED ? 81 : 85);
    }
    loop(GET_METADATA_ALLOCATED, missing, cut, 530);
    loop(GET_METADATA_DELTA, missing, delta, 533);
    row(
        "UNIMPLEMENTED repeated",
        toy ->
            toy.fail(LIST_VOLUMES, "", StatusCode.UNIMPLEMENTED)
                .fail(LIST_VOLUMES, "max_entries: 1", StatusCode.UNIMPLEMENTED),
        83);
    row(
        "UNIMPLEMENTED repeated after a look at the capabilities",
        toy ->
            toy.fail(LIST_VOLUMES, "", StatusCode.UNIMPLEMENTED).introduce().ok(LIST_VOLUMES, ""));
    row(
        "UNIMPLEMENTED by a plugin that another one took the place of",
        toy -> toy.fail(LIST_VOLUMES, "", StatusCode.UNIMPLEMENTED).stop().ok(LIST_VOLUMES, ""));
    row(
        "INVALID_ARGUMENT by a plugin that another one took the place of",
        toy ->
            toy.fail(CREATE_VOLUME, like.created("v9"), invalid)
                .stop()
                .ok(CREATE_VOLUME, like.created("v9"), Toy.made("v9")));
    hammered(CONTROLLER_PUBLISH_VOLUME, StatusCode.ABORTED, like.attached("v1"), created, 82);
    row(
        "a clock that stands still",
        created.andThen(
            toy ->
                toy.failing(
                    9,
                    Duration.ZERO,
                    CONTROLLER_PUBLISH_VOLUME,
                    toy.attached("v1"),
                    StatusCode.ABORTED)));
    hammered(CREATE_VOLUME, missing, like.created("v9"), created, 221);
    hammered(CREATE_VOLUME, full, like.created("v9"), created, 223);
    hammered(DELETE_VOLUME, state, id("v1"), created, 230);
    hammered(CONTROLLER_PUBLISH_VOLUME, missing, like.attached("old"), old, 246);
    hammered(CONTROLLER_PUBLISH_VOLUME, missing, like.attached("v1"), created, 247);
    hammered(CONTROLLER_PUBLISH_VOLUME, state, like.attached("v1"), created, 249);
    hammered(CONTROLLER_PUBLISH_VOLUME, full, like.attached("v1"), created, 250);
    hammered(CONTROLLER_UNPUBLISH_VOLUME, missing, detached("old", "node-1"), old, 258);
    hammered(CONTROLLER_UNPUBLISH_VOLUME, missing, detached("v1", "node-1"), attached, 259);
    hammered(VALIDATE_VOLUME_CAPABILITIES, missing, id("old") + capabilities(WRITERS), old, 270);
    hammered(CONTROLLER_GET_VOLUME, missing, id("v1"), created, 288);
    hammered(
        CONTROLLER_MODIFY_VOLUME,
        missing,
        id("v1") + "mutable_parameters { key: 'a' value: 'b' }",
        created,
        297);
    hammered(DELETE_SNAPSHOT, state, cut, created, 335);
    hammered(GET_SNAPSHOT, missing, cut, created, 351);
    String first = id("v1") + "capacity_range { required_bytes: 9 } ";
    hammered(CONTROLLER_EXPAND_VOLUME, missing, first, created, 368);
    hammered(CONTROLLER_EXPAND_VOLUME, state, first, created, 369);
    row(
        "expanded again while published",
        used.andThen(
            toy ->
                toy.fail(CONTROLLER_EXPAND_VOLUME, first, state)
                    .fail(CONTROLLER_EXPAND_VOLUME, first, state)),
        369);
    hammered(NODE_STAGE_VOLUME, missing, like.staged("v1"), attached, 388);
    hammered(NODE_UNSTAGE_VOLUME, missing, unstaged("v1"), staged, 398);
    hammered(NODE_PUBLISH_VOLUME, missing, like.published("v1", "/t/v1"), staged, 429);
    hammered(NODE_UNPUBLISH_VOLUME, missing, unpublished("v1", "/t/v1"), used, 440);
    hammered(NODE_GET_VOLUME_STATS, missing, here, used, 452);
    hammered(NODE_EXPAND_VOLUME, missing, here, expanded, 481);
    hammered(DELETE_VOLUME_GROUP_SNAPSHOT, state, members, created, 506);
    hammered(GET_VOLUME_GROUP_SNAPSHOT, missing, members, created, 513);
    row(
        "snapshots without a pause after ABORTED",
        toy ->
            toy.create("v1")
                .failing(
                    6,
                    SOON,
                    CREATE_SNAPSHOT,
                    "name: 's' source_volume_id: 'v1'",
                    StatusCode.ABORTED)
                .failing(6, SOON, DELETE_SNAPSHOT, cut, StatusCode.ABORTED),
        82,
        327,
        336);
    row(
        "snapshots with a pause after ABORTED",
        toy ->
            toy.create("v1")
                .fail(CREATE_SNAPSHOT, "name: 's' source_volume_id: 'v1'", StatusCode.ABORTED)
                .snapshot("s", "v1", true)
                .fail(CREATE_SNAPSHOT, "name: 'x' source_volume_id: 'v1'", StatusCode.ABORTED)
                .ok(
                    CREATE_SNAPSHOT,
                    "name: 'x' source_volume_id: 'v1'",
                    "snapshot { snapshot_id: 'x' ready_to_use: true }")
                .fail(DELETE_SNAPSHOT, cut, StatusCode.ABORTED)
                .ok(DELETE_SNAPSHOT, cut));
    String unstagedPublish = like.published("v1", "/t/v1") + "staging_target_path: ''";
    row(
        "published again without the staging path",
        staged.andThen(
            toy ->
                toy.fail(NODE_PUBLISH_VOLUME, unstagedPublish, state)
                    .fail(NODE_PUBLISH_VOLUME, unstagedPublish, state)),
        404,
        432);
    row(
        "published again with the staging path",
        staged.andThen(
            toy -> toy.fail(NODE_PUBLISH_VOLUME, unstagedPublish, state).publish("v1", "/t/v1")),
        404);
    String page = "entries { volume { volume_id: 'v1' } } next_token: 't'";
    row(
        "an expired token of volumes again",
        toy ->
            toy.ok(LIST_VOLUMES, "", page)
                .fail(LIST_VOLUMES, "starting_token: 't'", StatusCode.ABORTED)
                .fail(LIST_VOLUMES, "starting_token: 't'", StatusCode.ABORTED),
        281);
    row(
        "an expired token of snapshots again",
        toy ->
            toy.ok(LIST_SNAPSHOTS, "", "next_token: 't'")
                .fail(LIST_SNAPSHOTS, "starting_token: 't'", StatusCode.ABORTED)
                .fail(LIST_SNAPSHOTS, "starting_token: 't'", StatusCode.ABORTED),
        345);
    row(
        "an expired token with another page size",
        toy ->
            toy.ok(LIST_VOLUMES, "", page)
                .fail(LIST_VOLUMES, "starting_token: 't'", StatusCode.ABORTED)
                .ok(LIST_VOLUMES, "starting_token: 't' max_entries: 2")
                .ok(LIST_SNAPSHOTS, "", "next_token: 't'")
                .fail(LIST_SNAPSHOTS, "starting_token: 't'", StatusCode.ABORTED)
                .ok(LIST_SNAPSHOTS, "starting_token: 't' max_entries: 2"));
  }

  private void health() {
    PluginShape unstaged = HEALTHY.without(NodeCapability.STAGE_UNSTAGE_VOLUME);
    String staging = id("v1") + at("v1");
    row(
        "the health of a volume at its paths",
        HEALTHY,
        toy -> toy.use("v1").ok(NODE_GET_VOLUME_HEALTH, staging + "volume_publish_path: '/t/v1'"));
    row(
        "the health of a volume that was never staged",
        HEALTHY,
        toy -> toy.create("v1").ok(NODE_GET_VOLUME_HEALTH, staging + "volume_publish_path: '/x'"));
    row(
        "the health of a volume at relative paths",
        HEALTHY,
        toy ->
            toy.use("v1")
                .ok(
                    NODE_GET_VOLUME_HEALTH,
                    id("v1") + "volume_publish_path: 't' staging_target_path: 's'"),
        543,
        544);
    row(
        "the health of a volume with a staging path that nobody asked for",
        unstaged,
        toy -> toy.create("v1").ok(NODE_GET_VOLUME_HEALTH, staging),
        545);
    row(
        "the health of a volume without a staging path",
        unstaged,
        toy -> toy.create("v1").ok(NODE_GET_VOLUME_HEALTH, id("v1")));
    row(
        "a page of sick volumes with a negative size",
        HEALTHY,
        toy -> toy.ok(CONTROLLER_LIST_VOLUME_HEALTH, "max_entries: -1"),
        546);
    row(
        "pages of sick volumes",
        HEALTHY,
        toy ->
            toy.ok(CONTROLLER_LIST_VOLUME_HEALTH, "", "next_token: 't'")
                .ok(CONTROLLER_LIST_VOLUME_HEALTH, "starting_token: 't' max_entries: 2"));
    row(
        "a page of sick volumes with an invented token",
        HEALTHY,
        toy -> toy.ok(CONTROLLER_LIST_VOLUME_HEALTH, "starting_token: 'x'"),
        547,
        274);
    row(
        "an expired token of sick volumes again",
        HEALTHY,
        toy ->
            toy.ok(CONTROLLER_LIST_VOLUME_HEALTH, "", "next_token: 't'")
                .fail(CONTROLLER_LIST_VOLUME_HEALTH, "starting_token: 't'", StatusCode.ABORTED)
                .fail(CONTROLLER_LIST_VOLUME_HEALTH, "starting_token: 't'", StatusCode.ABORTED),
        548);
    row(
        "sick volumes from the beginning after an expired token",
        HEALTHY,
        toy ->
            toy.ok(CONTROLLER_LIST_VOLUME_HEALTH, "", "next_token: 't'")
                .fail(CONTROLLER_LIST_VOLUME_HEALTH, "starting_token: 't'", StatusCode.ABORTED)
                .ok(CONTROLLER_LIST_VOLUME_HEALTH, "starting_token: 't' max_entries: 2"));
    row(
        "the health of a volume beside its staging",
        HEALTHY,
        toy -> {
          toy.create("v1").attach("v1");
          toy.begin(NODE_STAGE_VOLUME, toy.staged("v1"));
          toy.ok(NODE_GET_VOLUME_HEALTH, id("v1")).ok(CONTROLLER_GET_VOLUME_HEALTH, id("v1"));
        });
    row(
        "the health of a missing volume without a pause",
        HEALTHY,
        toy ->
            toy.create("v1")
                .failing(6, SOON, CONTROLLER_GET_VOLUME_HEALTH, id("v1"), StatusCode.NOT_FOUND)
                .failing(6, SOON, NODE_GET_VOLUME_HEALTH, id("v1"), StatusCode.NOT_FOUND),
        549,
        550);
    row(
        "the health of a missing volume with pauses",
        HEALTHY,
        toy -> {
          Duration pause = Duration.ofSeconds(1);
          toy.create("v1")
              .failing(6, pause, CONTROLLER_GET_VOLUME_HEALTH, id("v1"), StatusCode.NOT_FOUND)
              .failing(6, pause, NODE_GET_VOLUME_HEALTH, id("v1"), StatusCode.NOT_FOUND);
        });
    String place =
        "name: 's' source_volume_id: 'v1' accessibility_requirements { requisite { segments { key:"
            + " 'z' value: 'a' } } }";
    row(
        "a snapshot in a place from a plugin without places for snapshots",
        toy -> toy.create("v1").ok(CREATE_SNAPSHOT, place),
        551);
    row(
        "a snapshot in a place",
        FULL.with(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS),
        toy -> toy.create("v1").ok(CREATE_SNAPSHOT, place));
  }

  private void paths() {
    Consumer<Toy> attached = toy -> toy.create("v1").attach("v1");
    Consumer<Toy> staged = toy -> toy.create("v1").attach("v1").stage("v1");
    row(
        "a relative staging path",
        attached.andThen(toy -> toy.stage("v1", "staging_target_path: 's/v1'")),
        377);
    row("a relative target", staged.andThen(toy -> toy.publish("v1", "t/v1")), 405);
    row(
        "a file as the staging path",
        attached.andThen(
            toy ->
                toy.at("staging_target_path", PathFact.OTHER)
                    .ok(NODE_STAGE_VOLUME, toy.staged("v1"))),
        379);
    row(
        "a staging path that is missing",
        attached.andThen(
            toy ->
                toy.at("staging_target_path", PathFact.MISSING)
                    .ok(NODE_STAGE_VOLUME, toy.staged("v1"))),
        381);
    row(
        "a target whose parent is missing",
        staged.andThen(
            toy ->
                toy.at("target_path", PathFact.PARENT_MISSING)
                    .ok(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/v1"))),
        407);
    row(
        "a target made by the caller",
        staged.andThen(
            toy ->
                toy.at("target_path", PathFact.DIRECTORY)
                    .ok(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/v1"))),
        409);
    row(
        "a target that stands since a publication was lost",
        staged.andThen(
            toy ->
                toy.at("target_path", PathFact.MISSING)
                    .lost(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/v1"))
                    .at("target_path", PathFact.DIRECTORY)
                    .ok(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/v1"))));
    row(
        "a target of two volumes",
        toy -> toy.use("v1").create("v2").attach("v2").stage("v2").publish("v2", "/t/v1"),
        406);
    row(
        "a target removed by the caller",
        toy ->
            toy.use("v1")
                .at("target_path", PathFact.MISSING)
                .ok(NODE_UNPUBLISH_VOLUME, unpublished("v1", "/t/v1")),
        435);
    String staging = id("v1") + at("v1");
    row(
        "statistics of a path where nothing is",
        toy -> toy.use("v1").ok(NODE_GET_VOLUME_STATS, staging + "volume_path: '/x'"),
        557);
    row(
        "statistics of a relative path",
        toy -> toy.use("v1").ok(NODE_GET_VOLUME_STATS, staging + "volume_path: 'x'"),
        443,
        557);
    row(
        "statistics without the staging path",
        toy -> toy.use("v1").ok(NODE_GET_VOLUME_STATS, id("v1") + "volume_path: '/t/v1'"),
        444);
    row(
        "statistics with a relative staging path",
        toy ->
            toy.use("v1")
                .ok(
                    NODE_GET_VOLUME_STATS,
                    id("v1") + "volume_path: '/t/v1' staging_target_path: 's'"),
        446);
    row(
        "lawful statistics",
        toy -> toy.use("v1").ok(NODE_GET_VOLUME_STATS, staging + "volume_path: '/t/v1'"));
    row(
        "lawful statistics without staging",
        PluginShape.noStaging(),
        toy -> toy.use("v1").ok(NODE_GET_VOLUME_STATS, id("v1") + "volume_path: '/t/v1'"));
    row(
        "statistics with a staging path that nobody asked for",
        PluginShape.noStaging(),
        toy -> toy.use("v1").ok(NODE_GET_VOLUME_STATS, staging + "volume_path: '/t/v1'"),
        445);
    Consumer<Toy> expanded =
        toy ->
            toy.create("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, id("v1") + "capacity_range { required_bytes: 9 }")
                .attach("v1")
                .stage("v1")
                .publish("v1", "/t/v1");
    row(
        "a node expansion",
        expanded.andThen(toy -> toy.ok(NODE_EXPAND_VOLUME, staging + "volume_path: '/t/v1'")));
    row(
        "a node expansion at a path where nothing is",
        expanded.andThen(toy -> toy.ok(NODE_EXPAND_VOLUME, staging + "volume_path: '/x'")),
        558);
    row(
        "a node expansion without the staging path",
        expanded.andThen(toy -> toy.ok(NODE_EXPAND_VOLUME, id("v1") + "volume_path: '/t/v1'")),
        472);
    row(
        "a lawful node expansion without staging",
        PluginShape.noStaging(),
        toy ->
            toy.use("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, id("v1") + "capacity_range { required_bytes: 9 }")
                .ok(NODE_EXPAND_VOLUME, id("v1") + "volume_path: '/t/v1'"));
    row(
        "a node expansion with a staging path that nobody asked for",
        PluginShape.noStaging(),
        toy ->
            toy.use("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, id("v1") + "capacity_range { required_bytes: 9 }")
                .ok(NODE_EXPAND_VOLUME, staging + "volume_path: '/t/v1'"),
        473);
    row(
        "a node expansion with a relative staging path",
        expanded.andThen(
            toy ->
                toy.ok(
                    NODE_EXPAND_VOLUME,
                    id("v1") + "volume_path: '/t/v1' staging_target_path: 's'")),
        474);
    row(
        "a node expansion of what is not there",
        expanded.andThen(
            toy -> toy.leave("v1").ok(NODE_EXPAND_VOLUME, staging + "volume_path: '/t/v1'")),
        467,
        468);
    row(
        "a node expansion before the publication",
        PluginShape.noStaging(),
        expanded.andThen(
            toy -> toy.leave("v1").ok(NODE_EXPAND_VOLUME, id("v1") + "volume_path: '/t/v1'")),
        467,
        470);
    row(
        "a node expansion after the publication",
        PluginShape.noStaging(),
        expanded.andThen(toy -> toy.ok(NODE_EXPAND_VOLUME, id("v1") + "volume_path: '/t/v1'")));
  }

  private void contextsAndSecrets() {
    String other = "volume_context { key: 'c' value: 'canary' } ";
    String given = "publish_context { key: 'p' value: 'canary' } ";
    row(
        "another volume context attached",
        toy -> toy.create("v1").attach("v1", other),
        208,
        211,
        236);
    row(
        "no volume context validated",
        toy -> toy.create("v1").ok(VALIDATE_VOLUME_CAPABILITIES, id("v1") + capabilities(WRITERS)),
        209,
        211,
        266);
    row(
        "another volume context staged",
        toy -> toy.create("v1").attach("v1").stage("v1", other),
        208,
        211,
        384);
    row(
        "another volume context published",
        toy -> toy.create("v1").attach("v1").stage("v1").publish("v1", "/t/v1", other),
        208,
        211,
        413);
    row(
        "another publish context staged",
        toy -> toy.create("v1").attach("v1").stage("v1", given),
        240,
        242,
        375);
    row(
        "no publish context staged",
        toy ->
            toy.create("v1")
                .attach("v1")
                .ok(
                    NODE_STAGE_VOLUME,
                    id("v1") + at("v1") + capability(toy.mode()) + context("v1")),
        241,
        242,
        375);
    row(
        "another publish context published",
        toy -> toy.create("v1").attach("v1").stage("v1").publish("v1", "/t/v1", given),
        240,
        242,
        402);
    row(
        "a publish context staged without attachment",
        PluginShape.noAttach(),
        toy -> toy.create("v1").stage("v1", given),
        376);
    row(
        "a publish context published without attachment",
        PluginShape.noAttach(),
        toy -> toy.create("v1").stage("v1").publish("v1", "/t/v1", given),
        403);
    row("a life without attachment", PluginShape.noAttach(), toy -> toy.use("v1").leave("v1"));
    row(
        "detached with other secrets",
        toy -> toy.create("v1").attach("v1", SECRET).detach("v1"),
        96);
    row(
        "detached with the same secrets",
        toy ->
            toy.create("v1")
                .attach("v1", SECRET)
                .ok(CONTROLLER_UNPUBLISH_VOLUME, detached("v1", "node-1") + SECRET));
    String members = "group_snapshot_id: 'g1' snapshot_ids: 'm1' ";
    Consumer<Toy> group = toy -> toy.create("v1").group("g1", "m1", "v1", true);
    row(
        "a group asked for with other secrets",
        group.andThen(
            toy ->
                toy.ok(
                    CREATE_VOLUME_GROUP_SNAPSHOT,
                    "name: 'n-g1' source_volume_ids: 'v1' " + SECRET)),
        97);
    row(
        "a group deleted with other secrets",
        group.andThen(toy -> toy.ok(DELETE_VOLUME_GROUP_SNAPSHOT, members + SECRET)),
        98);
    row(
        "a group read with other secrets",
        group.andThen(
            toy -> toy.fail(GET_VOLUME_GROUP_SNAPSHOT, members + SECRET, StatusCode.INTERNAL)),
        99);
    row(
        "the life of a group",
        group.andThen(
            toy ->
                toy.group("g1", "m1", "v1", true)
                    .fail(GET_VOLUME_GROUP_SNAPSHOT, members, StatusCode.INTERNAL)
                    .ok(DELETE_VOLUME_GROUP_SNAPSHOT, members)));
  }

  private Toy as(Toy toy, String mode, String... more) {
    return toy.create("v1", mode)
        .attach("v1", capability(mode), String.join(" ", more))
        .stage("v1", capability(mode));
  }

  private void modes() {
    String writer = "SINGLE_NODE_WRITER";
    String readers = "MULTI_NODE_READER_ONLY";
    String reader = "SINGLE_NODE_READER_ONLY";
    String one = "MULTI_NODE_SINGLE_WRITER";
    PluginShape old =
        FULL.without(ControllerCapability.SINGLE_NODE_MULTI_WRITER)
            .without(NodeCapability.SINGLE_NODE_MULTI_WRITER);
    row(
        "a mode that was not asked for",
        toy -> toy.create("v1").attach("v1", capability(WRITERS)),
        186);
    row(
        "staged with other flags than it was attached with",
        toy -> toy.create("v1").attach("v1").stage("v1", mounted("relatime")),
        553);
    row(
        "one node's volume on two",
        toy -> toy.create("v1").attach("v1").meet("node-2").attach("v1"),
        238);
    row(
        "one writer's volume on two nodes",
        old,
        toy -> toy.create("v1").attach("v1").meet("node-2").attach("v1"),
        238,
        423);
    row(
        "one reader's volume on two nodes",
        toy ->
            toy.create("v1", reader)
                .attach("v1", capability(reader))
                .meet("node-2")
                .attach("v1", capability(reader)),
        238,
        424);
    row(
        "one reader's volume for writing",
        toy -> as(toy, reader).publish("v1", "/t/v1", capability(reader)),
        424);
    row(
        "one reader's volume for reading",
        toy -> as(toy, reader).publish("v1", "/t/v1", capability(reader), "readonly: true"));
    row(
        "many readers' volume for writing",
        toy -> as(toy, readers).publish("v1", "/t/v1", capability(readers)),
        425);
    row(
        "many readers' volume for reading",
        toy -> as(toy, readers).publish("v1", "/t/v1", capability(readers), "readonly: true"));
    row(
        "two writers where one is allowed",
        toy ->
            toy.create("v1", one)
                .attach("v1", capability(one))
                .meet("node-2")
                .attach("v1", capability(one)),
        239);
    row(
        "a writer and a reader",
        toy ->
            toy.create("v1", one)
                .attach("v1", capability(one))
                .meet("node-2")
                .attach("v1", capability(one), "readonly: true"));
    row(
        "two writers beside a reader where one is allowed",
        toy ->
            toy.create("v1", one)
                .attach("v1", capability(one), "readonly: true")
                .meet("node-2")
                .attach("v1", capability(one))
                .meet("node-3")
                .attach("v1", capability(one)),
        239);
    row(
        "a writer and two readers",
        toy ->
            toy.create("v1", one)
                .attach("v1", capability(one), "readonly: true")
                .meet("node-2")
                .attach("v1", capability(one), "readonly: true")
                .meet("node-3")
                .attach("v1", capability(one)));
    row(
        "two writers beside a target that only reads",
        PluginShape.noAttach(),
        toy ->
            as(toy, one)
                .publish("v1", "/t/a", capability(one), "readonly: true")
                .publish("v1", "/t/b", capability(one))
                .meet("node-2")
                .stage("v1", capability(one))
                .publish("v1", "/t/c", capability(one)),
        239);
    row("a second target of one writer", toy -> toy.use("v1").publish("v1", "/t/b"), 415, 417, 418);
    row(
        "a second target of the old mode",
        old,
        toy -> toy.use("v1").publish("v1", "/t/b"),
        415,
        417,
        423);
    row("the old mode", toy -> as(toy, writer).publish("v1", "/t/v1", capability(writer)), 420);
    row(
        "the old mode twice",
        toy ->
            as(toy, writer)
                .publish("v1", "/t/v1", capability(writer))
                .publish("v1", "/t/b", capability(writer)),
        415,
        417,
        420,
        421,
        423);
    String many = "SINGLE_NODE_MULTI_WRITER";
    row(
        "several workloads on a node",
        toy ->
            as(toy, many)
                .publish("v1", "/t/v1", capability(many))
                .publish("v1", "/t/b", capability(many)));
    row(
        "the same target with other arguments",
        toy ->
            toy.use("v1")
                .at("target_path", PathFact.DIRECTORY)
                .ok(NODE_PUBLISH_VOLUME, toy.published("v1", "/t/v1") + "readonly: true"),
        417);
    row(
        "a second target for another group",
        toy ->
            as(toy, WRITERS)
                .publish("v1", "/t/v1", capability(WRITERS))
                .publish(
                    "v1",
                    "/t/b",
                    capability(WRITERS),
                    "volume_capability { mount { volume_mount_group: '7' } }"),
        416);
    row(
        "a volume too many",
        FULL.maxVolumesPerNode(1),
        toy -> toy.create("v1").attach("v1").create("v2").attach("v2"),
        461);
    row(
        "a volume after another has gone",
        FULL.maxVolumesPerNode(1),
        toy -> toy.create("v1").attach("v1").detach("v1").create("v2").attach("v2"));
  }

  private void restOfAll() {
    row(
        "a node that was never asked",
        PluginShape.noAttach(),
        toy ->
            toy.create("v1")
                .on("node-2")
                .ok(PROBE, "")
                .ok(
                    NODE_GET_CAPABILITIES,
                    "",
                    "capabilities { rpc { type: STAGE_UNSTAGE_VOLUME } }")
                .stage("v1"),
        455);
    row("a name as an id", toy -> toy.create("v1").delete("n-v1"), 180, 206);
    row(
        "a snapshot's name as an id",
        toy ->
            toy.create("v1").snapshot("s1", "v1", true).ok(DELETE_SNAPSHOT, "snapshot_id: 'n-s1'"),
        320);
    row(
        "a snapshot's id",
        toy ->
            toy.create("v1")
                .snapshot("s1", "v1", true)
                .ok(DELETE_SNAPSHOT, "snapshot_id: 's1'")
                .delete("v1"));
    row(
        "a group's name as an id",
        toy ->
            toy.create("v1")
                .group("g1", "m1", "v1", true)
                .ok(DELETE_VOLUME_GROUP_SNAPSHOT, "group_snapshot_id: 'n-g1' snapshot_ids: 'm1'"),
        323,
        492);
    row("a node id of nobody", toy -> toy.create("v1").attach("v1", "node_id: 'zz'"), 563);
    row(
        "a node id of nobody detached",
        toy -> toy.create("v1").attach("v1").ok(CONTROLLER_UNPUBLISH_VOLUME, detached("v1", "zz")),
        252);
    row(
        "negative page sizes",
        toy -> toy.ok(LIST_VOLUMES, "max_entries: -1").ok(LIST_SNAPSHOTS, "max_entries: -1"),
        271,
        337);
    row("an invented token", toy -> toy.ok(LIST_VOLUMES, "starting_token: 'x'"), 272, 274);
    row(
        "an invented token of snapshots",
        toy -> toy.ok(LIST_SNAPSHOTS, "starting_token: 'x'"),
        274,
        338);
    row(
        "other filters on the second page",
        toy ->
            toy.ok(LIST_SNAPSHOTS, "", "next_token: 't'")
                .ok(LIST_SNAPSHOTS, "starting_token: 't' source_volume_id: 'v1'"),
        338);
    String from = "volume_content_source { snapshot { snapshot_id: '%s' } } ";
    row(
        "a volume from a snapshot that is not ready",
        toy ->
            toy.create("v1")
                .snapshot("s1", "v1", false)
                .ok(CREATE_VOLUME, toy.created("v2") + from.formatted("s1"), Toy.made("v2")),
        313);
    row(
        "a volume from a member that is not ready",
        toy ->
            toy.create("v1")
                .group("g1", "m1", "v1", false)
                .ok(CREATE_VOLUME, toy.created("v2") + from.formatted("m1"), Toy.made("v2")),
        313,
        489);
    row(
        "a volume from a member that is ready",
        toy ->
            toy.create("v1")
                .group("g1", "m1", "v1", true)
                .ok(CREATE_VOLUME, toy.created("v2") + from.formatted("m1"), Toy.made("v2")));
    row(
        "a volume smaller than its snapshot",
        toy ->
            toy.create("v1")
                .snapshot("s1", "v1", true)
                .ok(
                    CREATE_VOLUME,
                    toy.created("v2")
                        + from.formatted("s1")
                        + "capacity_range { limit_bytes: 999 }",
                    Toy.made("v2")),
        204);
    row(
        "a volume as large as its snapshot",
        toy ->
            toy.create("v1")
                .snapshot("s1", "v1", true)
                .ok(
                    CREATE_VOLUME,
                    toy.created("v2")
                        + from.formatted("s1")
                        + "capacity_range { required_bytes: 999 limit_bytes: 1000 }",
                    Toy.made("v2")));
    row(
        "a member deleted alone",
        toy ->
            toy.create("v1").group("g1", "m1", "v1", true).ok(DELETE_SNAPSHOT, "snapshot_id: 'm1'"),
        330,
        331);
    row(
        "a member in another group",
        toy ->
            toy.create("v1")
                .group("g1", "m1", "v1", true)
                .ok(DELETE_VOLUME_GROUP_SNAPSHOT, "group_snapshot_id: 'g2' snapshot_ids: 'm1'"),
        323);
    row(
        "a group deleted with another member",
        toy ->
            toy.create("v1")
                .group("g1", "m1", "v1", true)
                .ok(DELETE_VOLUME_GROUP_SNAPSHOT, "group_snapshot_id: 'g1' snapshot_ids: 'm2'"),
        559);
    row(
        "a group read with another member",
        toy ->
            toy.create("v1")
                .group("g1", "m1", "v1", true)
                .fail(
                    GET_VOLUME_GROUP_SNAPSHOT,
                    "group_snapshot_id: 'g1' snapshot_ids: 'm2'",
                    StatusCode.INTERNAL),
        560);
    String delta = "base_snapshot_id: '%s' target_snapshot_id: '%s'";
    Consumer<Toy> two =
        toy -> toy.create("v1").snapshot("s1", "v1", true).snapshot("s2", "v1", true);
    row(
        "what changed since",
        two.andThen(toy -> toy.ok(GET_METADATA_DELTA, delta.formatted("s1", "s2"))));
    row(
        "what changed before",
        two.andThen(toy -> toy.ok(GET_METADATA_DELTA, delta.formatted("s2", "s1"))),
        561);
    row(
        "streams that begin in the middle",
        toy ->
            toy.ok(GET_METADATA_ALLOCATED, "snapshot_id: 's' starting_offset: 5")
                .ok(GET_METADATA_DELTA, delta.formatted("a", "b") + " starting_offset: 5"),
        517,
        518);
    row(
        "a stream that goes on",
        toy ->
            toy.ok(
                    GET_METADATA_ALLOCATED,
                    "snapshot_id: 's'",
                    "block_metadata { size_bytes: 3 } block_metadata { byte_offset: 3 size_bytes:"
                        + " 2 }")
                .lost(GET_METADATA_ALLOCATED, "snapshot_id: 's' starting_offset: 5")
                .ok(GET_METADATA_ALLOCATED, "snapshot_id: 's' starting_offset: 5"));
    row(
        "a stream that goes on where nothing ended",
        toy ->
            toy.ok(GET_METADATA_ALLOCATED, "snapshot_id: 's'", "block_metadata { size_bytes: 3 }")
                .lost(GET_METADATA_ALLOCATED, "snapshot_id: 's'")
                .ok(GET_METADATA_ALLOCATED, "snapshot_id: 's' starting_offset: 5"),
        517);
    PluginShape offline = FULL.without(PluginCapability.VOLUME_EXPANSION_ONLINE);
    String grown = id("v1") + "capacity_range { required_bytes: 9 } ";
    row(
        "expanded while attached",
        offline,
        toy -> toy.use("v1").ok(CONTROLLER_EXPAND_VOLUME, grown),
        108,
        356,
        357);
    row(
        "expanded while detached",
        offline,
        toy -> toy.use("v1").leave("v1").ok(CONTROLLER_EXPAND_VOLUME, grown));
    PluginShape unattached =
        PluginShape.noAttach().without(PluginCapability.VOLUME_EXPANSION_ONLINE);
    row(
        "expanded while staged",
        unattached,
        toy -> toy.use("v1").ok(CONTROLLER_EXPAND_VOLUME, grown),
        108,
        356,
        358);
    row(
        "expanded while unstaged",
        unattached,
        toy -> toy.use("v1").leave("v1").ok(CONTROLLER_EXPAND_VOLUME, grown));
    PluginShape direct = unattached.without(NodeCapability.STAGE_UNSTAGE_VOLUME);
    row(
        "expanded while published",
        direct,
        toy -> toy.use("v1").ok(CONTROLLER_EXPAND_VOLUME, grown),
        108,
        356,
        359);
    row(
        "expanded while unpublished",
        direct,
        toy -> toy.use("v1").leave("v1").ok(CONTROLLER_EXPAND_VOLUME, grown));
    String here = id("v1") + at("v1") + "volume_path: '/t/v1'";
    row(
        "an expansion that the node never followed",
        toy ->
            toy.use("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, grown, "node_expansion_required: true")
                .leave("v1"),
        562);
    row(
        "an expansion that the node followed",
        toy ->
            toy.use("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, grown, "node_expansion_required: true")
                .ok(NODE_EXPAND_VOLUME, here)
                .leave("v1"));
    row(
        "a node expansion before that of the controller",
        toy -> toy.use("v1").ok(NODE_EXPAND_VOLUME, here),
        362);
    row(
        "a node expansion before that of the controller, offline",
        offline,
        toy -> toy.use("v1").ok(NODE_EXPAND_VOLUME, here),
        362,
        471);
    row(
        "a node expansion before the staging, offline",
        offline,
        toy ->
            toy.create("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, grown)
                .attach("v1")
                .ok(NODE_EXPAND_VOLUME, here),
        363,
        467,
        468);
    row(
        "a node expansion after the staging, offline",
        offline,
        toy ->
            toy.create("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, grown)
                .attach("v1")
                .stage("v1")
                .publish("v1", "/t/v1")
                .ok(NODE_EXPAND_VOLUME, here));
    row(
        "expanded as something else",
        toy -> toy.use("v1").ok(CONTROLLER_EXPAND_VOLUME, grown + capability(WRITERS)),
        365);
    row(
        "expanded as it is used",
        toy -> toy.use("v1").ok(CONTROLLER_EXPAND_VOLUME, grown + capability(toy.mode())));
  }

  /** What looks like a breach, and what the spec allows or leaves open. */
  private void lawful() {
    String grown = id("v1") + "capacity_range { required_bytes: 9 } ";
    String modified = id("v1") + "mutable_parameters { key: 'a' value: 'b' } ";
    String here = id("v1") + at("v1") + "volume_path: '/t/v1' ";
    StatusCode invalid = StatusCode.INVALID_ARGUMENT;
    row(
        "expansions and changes unchanged after INVALID_ARGUMENT",
        toy ->
            toy.use("v1")
                .failing(3, SOON, CONTROLLER_MODIFY_VOLUME, modified, invalid)
                .failing(3, SOON, CONTROLLER_EXPAND_VOLUME, grown, invalid)
                .failing(3, SOON, NODE_EXPAND_VOLUME, here, invalid));
    row(
        "UNIMPLEMENTED for one volume, then the same call for another",
        toy ->
            toy.use("v1")
                .use("v2")
                .fail(NODE_GET_VOLUME_STATS, here, StatusCode.UNIMPLEMENTED)
                .ok(NODE_GET_VOLUME_STATS, id("v2") + at("v2") + "volume_path: '/t/v2'"));
    row(
        "statistics of a path where the volume was",
        toy -> toy.use("v1").unpublish("v1", "/t/v1").ok(NODE_GET_VOLUME_STATS, here));
    row(
        "an expansion left to the node, offline",
        FULL.without(PluginCapability.VOLUME_EXPANSION_ONLINE),
        toy ->
            toy.create("v1")
                .ok(CONTROLLER_EXPAND_VOLUME, grown, "node_expansion_required: true")
                .attach("v1")
                .stage("v1")
                .unstage("v1")
                .detach("v1"));
    String told = "n".repeat(200);
    row(
        "a node id that is the beginning of another",
        toy -> toy.meet(told).meet(told.substring(0, 128)).create("v1").attach("v1").detach("v1"));
    row(
        "a node id cut short, detached",
        toy ->
            toy.meet(told)
                .create("v1")
                .attach("v1")
                .ok(CONTROLLER_UNPUBLISH_VOLUME, detached("v1", told.substring(0, 128))),
        252);
    row(
        "detached from a node that a listing told",
        toy ->
            toy.create("v1")
                .ok(
                    LIST_VOLUMES,
                    "",
                    "entries { " + Toy.made("v1") + "status { published_node_ids: 'n9' } }")
                .ok(CONTROLLER_UNPUBLISH_VOLUME, detached("v1", "n9")));
    row(
        "staged on a node whose id was told before this journal began",
        toy ->
            toy.on("node-2")
                .ok(PROBE, "")
                .ok(
                    NODE_GET_CAPABILITIES,
                    "",
                    "capabilities { rpc { type: STAGE_UNSTAGE_VOLUME } }")
                .create("v1")
                .attach("v1", "node_id: 'x-2'")
                .stage("v1"),
        455,
        563);
    row(
        "a topology that only the documentation names",
        toy ->
            toy.meet("node-2", "accessible_topology { segments { key: 'z' value: 'b' } }")
                .ok(
                    CREATE_VOLUME,
                    toy.created("v1")
                        + "accessibility_requirements { requisite { segments { key: 'z' value:"
                        + " 'a' } } }",
                    Toy.made("v1")),
        564);
    row(
        "a topology key that only the plugin can have meant so",
        toy ->
            toy.meet("node-2", "accessible_topology { segments { key: 'a b' value: 'b' } }")
                .ok(
                    CREATE_VOLUME,
                    toy.created("v1")
                        + "accessibility_requirements { requisite { segments { key: 'a b' value:"
                        + " 'a' } } }",
                    Toy.made("v1")),
        564);
    created(
        "a preferred zone that is requisite under another case",
        "accessibility_requirements { requisite { segments { key: 'Z' value: 'a' } } preferred {"
            + " segments { key: 'z' value: 'a' } } }");
    created("a secret under a key of letters", "secrets { key: 'schlüssel' value: 'x' }");
    row(
        "an id from elsewhere that is a name as well",
        toy ->
            toy.ok(VALIDATE_VOLUME_CAPABILITIES, id("n-v1") + capabilities(WRITERS))
                .create("v1")
                .ok(
                    CONTROLLER_PUBLISH_VOLUME,
                    id("n-v1") + "node_id: 'node-1' " + capability(WRITERS)));
    row(
        "a volume context that the plugin told last",
        toy ->
            toy.create("v1")
                .ok(LIST_VOLUMES, "", "entries { volume { " + id("v1") + context("w") + "} }")
                .attach("v1", context("w")));
    String zone = "accessible_topology { segments { key: 'z' value: '%s' } } ";
    row(
        "a volume that has moved to another zone",
        toy ->
            toy.meet("node-2", zone.formatted("b"))
                .ok(
                    CREATE_VOLUME,
                    toy.created("v1"),
                    "volume { volume_id: 'v1' " + context("v1") + zone.formatted("a") + "}")
                .ok(
                    LIST_VOLUMES,
                    "",
                    "entries { volume { volume_id: 'v1' " + zone.formatted("b") + "} }")
                .attach("v1"));
    row(
        "paths with more slashes than they need",
        toy ->
            toy.create("v1")
                .attach("v1")
                .stage("v1", "staging_target_path: '//s//v1/'")
                .stage("v1", "staging_target_path: '/s/v1/'")
                .publish("v1", "/t//v1")
                .unpublish("v1", "/t/v1/")
                .unstage("v1")
                .detach("v1"));
    groups();
    longTexts();
  }

  private void groups() {
    String members = "group_snapshot_id: 'g1' snapshot_ids: 'm1'";
    Consumer<Toy> listed =
        toy ->
            toy.create("v1")
                .group("g1", "m1", "v1", true)
                .ok(
                    LIST_SNAPSHOTS,
                    "",
                    "entries { snapshot { snapshot_id: 'm1' source_volume_id: 'v1' } }");
    row(
        "a group whose members a listing tells without it",
        listed.andThen(toy -> toy.ok(DELETE_VOLUME_GROUP_SNAPSHOT, members)));
    row(
        "a member deleted alone that a listing tells without its group",
        listed.andThen(toy -> toy.ok(DELETE_SNAPSHOT, "snapshot_id: 'm1'")),
        330,
        331);
    row(
        "a snapshot of its own in a group call",
        toy ->
            toy.create("v1")
                .snapshot("s1", "v1", true)
                .ok(DELETE_VOLUME_GROUP_SNAPSHOT, "group_snapshot_id: 'g9' snapshot_ids: 's1'"));
    row(
        "a snapshot deleted alone that a listing puts into a group",
        toy ->
            toy.create("v1")
                .snapshot("s1", "v1", true)
                .ok(
                    LIST_SNAPSHOTS,
                    "",
                    "entries { snapshot { snapshot_id: 's1' group_snapshot_id: 'g9' } }")
                .ok(DELETE_SNAPSHOT, "snapshot_id: 's1'"));
  }

  private void longTexts() {
    String longText = "x".repeat(200);
    row(
        "long texts of a listing of health",
        HEALTHY,
        toy ->
            toy.ok(
                    CONTROLLER_LIST_VOLUME_HEALTH,
                    "",
                    "entries { volume_id: '" + longText + "' } next_token: '" + longText + "y'")
                .ok(CONTROLLER_LIST_VOLUME_HEALTH, "starting_token: '" + longText + "y'")
                .ok(CONTROLLER_GET_VOLUME_HEALTH, id(longText)));
    row(
        "long ids of a group and its source",
        toy ->
            toy.ok(
                    LIST_SNAPSHOTS,
                    "",
                    "entries { snapshot { snapshot_id: 'm' source_volume_id: '"
                        + longText
                        + "' group_snapshot_id: '"
                        + longText
                        + "g' } }")
                .ok(LIST_SNAPSHOTS, "source_volume_id: '" + longText + "'")
                .ok(
                    DELETE_VOLUME_GROUP_SNAPSHOT,
                    "group_snapshot_id: '" + longText + "g' snapshot_ids: 'm'"));
    row(
        "a large topology that the plugin told",
        toy -> {
          StringBuilder zones = new StringBuilder("{ ");
          for (int i = 0; i < 40; i++) {
            String name = "z" + i + "z".repeat(50);
            zones
                .append("segments { key: '")
                .append(name)
                .append("' value: '")
                .append("a".repeat(60))
                .append("' } ");
          }
          toy.meet("node-2", "accessible_topology " + zones + "}")
              .ok(GET_CAPACITY, "accessible_topology " + zones + "}");
        });
    row(
        "a long path for health",
        HEALTHY,
        toy ->
            toy.use("v1")
                .ok(
                    NODE_GET_VOLUME_HEALTH,
                    id("v1") + at("v1") + "volume_publish_path: '/" + longText + "'"),
        59);
  }

  private static String mounted(String flags) {
    return "volume_capability { mount { mount_flags: '" + flags + "' } }";
  }
}
