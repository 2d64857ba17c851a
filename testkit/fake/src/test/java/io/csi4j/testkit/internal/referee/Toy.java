package io.csi4j.testkit.internal.referee;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.TextFormat;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.CsiProto;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.journal.CallRecord;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.PathFact;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A caller made of nothing but the journal that it leaves behind: requests and answers are written
 * as protobuf text. A second value given for a field takes the place of the first.
 */
final class Toy {

  private final List<JournalEvent> events = new ArrayList<>();
  private final Map<Long, CallRecord> open = new TreeMap<>();
  private final Map<String, PathFact> paths = new HashMap<>();
  private PluginShape shape;
  private String node = "node-1";
  private Instant now = Instant.EPOCH;
  private Duration pause = Duration.ofSeconds(1);
  private long numbers;

  /** A caller of a plugin that has just started. */
  Toy(PluginShape shape) {
    this.shape = shape;
    start(shape);
  }

  /** A caller that asked who the plugin is and what it can do. */
  static Toy introduced(PluginShape shape) {
    return new Toy(shape).introduce();
  }

  Toy introduce() {
    ok(
        CsiOperation.GET_PLUGIN_INFO,
        "",
        "name: 'toy' vendor_version: '" + shape.vendorVersion() + "'");
    StringBuilder plugin = new StringBuilder();
    for (PluginCapability one : shape.pluginCapabilities()) {
      plugin.append(
          one.name().startsWith("VOLUME_EXPANSION_")
              ? "capabilities { volume_expansion { type: " + one.name().substring(17) + " } } "
              : "capabilities { service { type: " + one.name() + " } } ");
    }
    ok(CsiOperation.GET_PLUGIN_CAPABILITIES, "", plugin.toString());
    if (shape.offers(PluginCapability.CONTROLLER_SERVICE)) {
      ok(CsiOperation.CONTROLLER_GET_CAPABILITIES, "", rpcs(shape.controllerCapabilities()));
    }
    if (shape.offers(PluginCapability.GROUP_CONTROLLER_SERVICE)) {
      ok(CsiOperation.GROUP_CONTROLLER_GET_CAPABILITIES, "", rpcs(shape.groupCapabilities()));
    }
    return meet("node-1");
  }

  private static String rpcs(Iterable<? extends Enum<?>> capabilities) {
    StringBuilder out = new StringBuilder();
    capabilities.forEach(
        one -> out.append("capabilities { rpc { type: ").append(one.name()).append(" } } "));
    return out.toString();
  }

  /** Asks a node who it is, and stays on its socket. */
  Toy meet(String name) {
    return meet(name, "");
  }

  Toy meet(String name, String topology) {
    on(name);
    ok(CsiOperation.PROBE, "");
    ok(CsiOperation.NODE_GET_CAPABILITIES, "", rpcs(shape.nodeCapabilities()));
    return ok(
        CsiOperation.NODE_GET_INFO,
        "",
        "node_id: '"
            + name
            + "' max_volumes_per_node: "
            + shape.maxVolumesPerNode()
            + " "
            + topology);
  }

  Toy on(String socket) {
    node = socket;
    return this;
  }

  /** What stands at a path of the next call. */
  Toy at(String field, PathFact fact) {
    paths.put(field, fact);
    return this;
  }

  /** The time between one event and the next from now on. */
  Toy every(Duration time) {
    pause = time;
    return this;
  }

  Toy start(PluginShape as) {
    shape = as;
    events.add(new JournalEvent.Started(tick(), as));
    return this;
  }

  Toy stop() {
    events.add(new JournalEvent.Stopped(tick()));
    return this;
  }

  Toy forget() {
    events.add(new JournalEvent.Forgot(tick()));
    return this;
  }

  long begin(CsiOperation operation, String request) {
    return begin(operation, message(operation.rpcName() + "Request", request));
  }

  private long begin(CsiOperation operation, WireMessage request) {
    String volume =
        request.type().contains("Volume") && knowsVolume(operation)
            ? request.text("volume_id")
            : "";
    CallRecord call =
        new CallRecord(
            ++numbers,
            operation,
            Optional.of(NodeId.of(node)),
            request,
            "localhost",
            tick(),
            List.copyOf(open.keySet()),
            paths,
            Optional.empty(),
            Optional.empty(),
            false,
            volume.isEmpty() || volume.length() > 128
                ? Optional.empty()
                : Optional.of(VolumeId.of(volume)),
            Map.of());
    paths.clear();
    open.put(call.number(), call);
    events.add(new JournalEvent.Began(call));
    return call.number();
  }

  private static boolean knowsVolume(CsiOperation operation) {
    return WireFields.type(operation).findFieldByName("volume_id") != null;
  }

  Toy end(long number, CallEnd how, boolean worked) {
    CallRecord call = open.remove(number);
    events.add(new JournalEvent.Ended(call.with(Optional.of(now), Optional.of(how), worked)));
    return this;
  }

  Toy ok(CsiOperation operation, String request) {
    return ok(operation, request, "");
  }

  Toy ok(CsiOperation operation, String request, String answer) {
    long number = begin(operation, request);
    return end(number, answered(operation, answer), true);
  }

  static CallEnd answered(CsiOperation operation, String answer) {
    return new CallEnd.Answered(List.of(message(operation.rpcName() + "Response", answer)));
  }

  Toy fail(CsiOperation operation, String request, StatusCode code) {
    return end(begin(operation, request), new CallEnd.Failed(code.value(), ""), false);
  }

  /** Fails {@code times} times the same way, {@code time} apart. */
  Toy failing(int times, Duration time, CsiOperation operation, String request, StatusCode code) {
    Duration before = pause;
    pause = time;
    for (int i = 0; i < times; i++) {
      fail(operation, request, code);
    }
    pause = before;
    return this;
  }

  /** Sends the request without one of its fields; the plugin refuses it. */
  Toy without(CsiOperation operation, String request, String field) {
    DynamicMessage.Builder builder = builder(operation.rpcName() + "Request", request);
    String name = field;
    if (builder.getDescriptorForType().findFieldByName(field) == null) {
      name = "mutable_params";
    }
    builder.clearField(builder.getDescriptorForType().findFieldByName(name));
    return end(
        begin(operation, new ProtoMessage(builder.build())),
        new CallEnd.Failed(StatusCode.INVALID_ARGUMENT.value(), ""),
        false);
  }

  /** The plugin does the work; nobody hears of it. */
  Toy lost(CsiOperation operation, String request) {
    return end(begin(operation, request), new CallEnd.Broken(), true);
  }

  private Instant tick() {
    now = now.plus(pause);
    return now;
  }

  private static WireMessage message(String type, String text) {
    return new ProtoMessage(builder(type, text).build());
  }

  private static DynamicMessage.Builder builder(String type, String text) {
    Descriptor descriptor = CsiProto.getDescriptor().findMessageTypeByName(type);
    DynamicMessage.Builder builder = DynamicMessage.newBuilder(descriptor);
    boolean renamed = descriptor.findFieldByName("mutable_params") != null;
    try {
      TextFormat.merge(
          renamed ? text.replace("mutable_parameters", "mutable_params") : text, builder);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text, e);
    }
    return builder;
  }

  List<JournalEvent> events() {
    return List.copyOf(events);
  }

  Verdict verdict() {
    return AllRules.judge(events);
  }

  // The life of a volume, as a lawful caller asks for it.

  boolean attaches() {
    return shape.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
  }

  boolean stages() {
    return shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME);
  }

  String mode() {
    return shape.offers(NodeCapability.SINGLE_NODE_MULTI_WRITER)
            && shape.offers(ControllerCapability.SINGLE_NODE_MULTI_WRITER)
        ? "SINGLE_NODE_SINGLE_WRITER"
        : "SINGLE_NODE_WRITER";
  }

  static String capability(String mode) {
    return "volume_capability { mount {} access_mode { mode: " + mode + " } } ";
  }

  static String capabilities(String... modes) {
    StringBuilder out = new StringBuilder();
    for (String mode : modes) {
      out.append("volume_capabilities { mount {} access_mode { mode: ")
          .append(mode)
          .append(" } } ");
    }
    return out.toString();
  }

  String created(String volume) {
    return "name: 'n-" + volume + "' " + capabilities(mode());
  }

  static String made(String volume) {
    return "volume { volume_id: '" + volume + "' " + context(volume) + "} ";
  }

  static String context(String volume) {
    return "volume_context { key: 'c' value: '" + volume + "' } ";
  }

  static String id(String volume) {
    return "volume_id: '" + volume + "' ";
  }

  String attached(String volume) {
    return id(volume) + "node_id: '" + node + "' " + capability(mode()) + context(volume);
  }

  static String detached(String volume, String from) {
    return id(volume) + "node_id: '" + from + "' ";
  }

  String given(String volume) {
    return attaches() ? "publish_context { key: 'p' value: '" + volume + node + "' } " : "";
  }

  static String stagingPath(String volume) {
    return "/s/" + volume;
  }

  static String at(String volume) {
    return "staging_target_path: '" + stagingPath(volume) + "' ";
  }

  String staged(String volume) {
    return id(volume) + at(volume) + capability(mode()) + context(volume) + given(volume);
  }

  static String unstaged(String volume) {
    return id(volume) + at(volume);
  }

  String published(String volume, String target) {
    return id(volume)
        + (stages() ? at(volume) : "")
        + "target_path: '"
        + target
        + "' "
        + capability(mode())
        + context(volume)
        + given(volume);
  }

  static String unpublished(String volume, String target) {
    return id(volume) + "target_path: '" + target + "' ";
  }

  static String target(String volume) {
    return "/t/" + volume;
  }

  Toy create(String volume) {
    return ok(CsiOperation.CREATE_VOLUME, created(volume), made(volume));
  }

  /** Creates a volume for these modes. */
  Toy create(String volume, String... modes) {
    return ok(
        CsiOperation.CREATE_VOLUME,
        "name: 'n-" + volume + "' " + capabilities(modes),
        made(volume));
  }

  Toy attach(String volume, String... more) {
    return attaches()
        ? ok(
            CsiOperation.CONTROLLER_PUBLISH_VOLUME,
            attached(volume) + String.join(" ", more),
            given(volume))
        : this;
  }

  Toy stage(String volume, String... more) {
    return stages()
        ? at("staging_target_path", PathFact.DIRECTORY)
            .ok(CsiOperation.NODE_STAGE_VOLUME, staged(volume) + String.join(" ", more))
        : this;
  }

  Toy publish(String volume, String target, String... more) {
    return at("target_path", PathFact.MISSING)
        .ok(CsiOperation.NODE_PUBLISH_VOLUME, published(volume, target) + String.join(" ", more));
  }

  /** Everything up to its use at its own target. */
  Toy use(String volume) {
    return create(volume).attach(volume).stage(volume).publish(volume, target(volume));
  }

  Toy unpublish(String volume, String target) {
    return at("target_path", PathFact.DIRECTORY)
        .ok(CsiOperation.NODE_UNPUBLISH_VOLUME, unpublished(volume, target));
  }

  Toy unstage(String volume) {
    return stages() ? ok(CsiOperation.NODE_UNSTAGE_VOLUME, unstaged(volume)) : this;
  }

  Toy detach(String volume) {
    return attaches() ? ok(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, detached(volume, node)) : this;
  }

  Toy delete(String volume) {
    return ok(CsiOperation.DELETE_VOLUME, id(volume));
  }

  /** Everything back from its use at its own target. */
  Toy leave(String volume) {
    return unpublish(volume, target(volume)).unstage(volume).detach(volume);
  }

  /** Cuts a snapshot. */
  Toy snapshot(String snapshot, String volume, boolean ready) {
    return ok(
        CsiOperation.CREATE_SNAPSHOT,
        "name: 'n-" + snapshot + "' source_volume_id: '" + volume + "'",
        "snapshot { snapshot_id: '"
            + snapshot
            + "' source_volume_id: '"
            + volume
            + "' size_bytes: 1000 creation_time { seconds: "
            + numbers
            + " } ready_to_use: "
            + ready
            + " }");
  }

  /** Cuts a group snapshot with one member. */
  Toy group(String group, String member, String volume, boolean ready) {
    return ok(
        CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
        "name: 'n-" + group + "' source_volume_ids: '" + volume + "'",
        "group_snapshot { group_snapshot_id: '"
            + group
            + "' ready_to_use: "
            + ready
            + " snapshots { snapshot_id: '"
            + member
            + "' source_volume_id: '"
            + volume
            + "' group_snapshot_id: '"
            + group
            + "' ready_to_use: "
            + ready
            + " } }");
  }
}
