package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.List;
import java.util.Map;

/** Calls and fields that only a plugin with the capability takes. */
final class OfferRules extends DutyRule {

  private record Gate(Part part, int duty, List<String> anyOf) {
    Gate(Part part, int duty, String... anyOf) {
      this(part, duty, List.of(anyOf));
    }

    String[] names() {
      return anyOf.toArray(String[]::new);
    }
  }

  private static final Map<CsiOperation, Gate> GATES =
      Map.ofEntries(
          Map.entry(CsiOperation.CREATE_VOLUME, controller(111, "CREATE_DELETE_VOLUME")),
          Map.entry(CsiOperation.DELETE_VOLUME, controller(111, "CREATE_DELETE_VOLUME")),
          Map.entry(
              CsiOperation.CONTROLLER_PUBLISH_VOLUME, controller(112, "PUBLISH_UNPUBLISH_VOLUME")),
          Map.entry(
              CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
              controller(112, "PUBLISH_UNPUBLISH_VOLUME")),
          Map.entry(CsiOperation.LIST_VOLUMES, controller(113, "LIST_VOLUMES")),
          Map.entry(CsiOperation.GET_CAPACITY, controller(114, "GET_CAPACITY")),
          Map.entry(CsiOperation.CREATE_SNAPSHOT, controller(115, "CREATE_DELETE_SNAPSHOT")),
          Map.entry(CsiOperation.DELETE_SNAPSHOT, controller(115, "CREATE_DELETE_SNAPSHOT")),
          Map.entry(CsiOperation.LIST_SNAPSHOTS, controller(116, "LIST_SNAPSHOTS")),
          Map.entry(CsiOperation.CONTROLLER_EXPAND_VOLUME, controller(119, "EXPAND_VOLUME")),
          Map.entry(CsiOperation.CONTROLLER_GET_VOLUME, controller(125, "GET_VOLUME")),
          Map.entry(CsiOperation.CONTROLLER_MODIFY_VOLUME, controller(128, "MODIFY_VOLUME")),
          Map.entry(CsiOperation.GET_SNAPSHOT, controller(129, "GET_SNAPSHOT")),
          Map.entry(
              CsiOperation.NODE_STAGE_VOLUME, new Gate(Part.NODE, 130, "STAGE_UNSTAGE_VOLUME")),
          Map.entry(
              CsiOperation.NODE_UNSTAGE_VOLUME, new Gate(Part.NODE, 130, "STAGE_UNSTAGE_VOLUME")),
          Map.entry(
              CsiOperation.NODE_GET_VOLUME_STATS,
              new Gate(Part.NODE, 131, "GET_VOLUME_STATS", "VOLUME_CONDITION")),
          Map.entry(CsiOperation.NODE_EXPAND_VOLUME, new Gate(Part.NODE, 132, "EXPAND_VOLUME")),
          Map.entry(CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT, group()),
          Map.entry(CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT, group()),
          Map.entry(CsiOperation.GET_VOLUME_GROUP_SNAPSHOT, group()));

  private String version = "";
  private boolean versionChanged;
  private boolean readSinceStart;

  OfferRules(Hearing hearing) {
    super(
        hearing,
        "Capabilities",
        102,
        103,
        105,
        106,
        109,
        110,
        111,
        112,
        113,
        114,
        115,
        116,
        117,
        118,
        119,
        125,
        126,
        127,
        128,
        129,
        130,
        131,
        132,
        133,
        134,
        150,
        192,
        195,
        202,
        235,
        268,
        299,
        305,
        426,
        453,
        484);
  }

  @Override
  void began(RecordedCall call) {
    service(call);
    Gate gate = GATES.get(call.operation());
    if (gate != null && !isCleanUp(call)) {
      gate(call, gate);
    }
    fields(call);
  }

  @Override
  void ended(RecordedCall call) {
    if (CallOutcome.of(call) != CallOutcome.OK) {
      return;
    }
    if (call.operation() == CsiOperation.GET_PLUGIN_INFO) {
      String now = call.answer().map(answer -> answer.text("vendor_version")).orElse("");
      versionChanged |= !version.isEmpty() && !version.equals(now) && !readSinceStart;
      version = now;
    } else if (call.operation() == CsiOperation.GET_PLUGIN_CAPABILITIES) {
      versionChanged = false;
      readSinceStart = true;
    }
  }

  @Override
  void happened(JournalEvent event) {
    readSinceStart &= !(event instanceof JournalEvent.Started);
  }

  private void service(RecordedCall call) {
    switch (call.operation().service()) {
      case CONTROLLER -> service(call, "CONTROLLER_SERVICE", 102);
      case GROUP_CONTROLLER -> service(call, "GROUP_CONTROLLER_SERVICE", 105);
      case SNAPSHOT_METADATA -> service(call, "SNAPSHOT_METADATA_SERVICE", 106);
      case NODE, IDENTITY -> {}
    }
  }

  private void service(RecordedCall call, String capability, int duty) {
    judge(
        !world.offers().lacks(Part.PLUGIN, "", capability),
        call,
        "of a service that the plugin does not have: it never told " + capability + ".",
        duty);
    if (world.isComplete() && call.operation().service() == CsiService.SNAPSHOT_METADATA) {
      told(call, new Gate(Part.PLUGIN, duty, capability));
    }
  }

  private void gate(RecordedCall call, Gate gate) {
    String node = WireFields.node(call);
    boolean lacking = world.offers().lacks(gate.part(), node, gate.names());
    String why = "which the plugin does not offer: it never told " + gate.anyOf().get(0) + ".";
    judge(!lacking, call, why, gate.duty());
    if (call.operation() == CsiOperation.CONTROLLER_EXPAND_VOLUME
        && world.offers().told(Part.NODE, node, "EXPAND_VOLUME")) {
      judge(!lacking, call, why + " Its nodes expand volumes alone.", 109);
    }
    if (gate.duty() == 112 || gate.duty() == 130) {
      plainLife(call);
    }
    if (world.isComplete()) {
      told(call, gate);
      version(call);
    }
  }

  private void plainLife(RecordedCall call) {
    boolean plain =
        world.offers().lacks(Part.CONTROLLER, "", "PUBLISH_UNPUBLISH_VOLUME")
            && world.offers().lacks(Part.NODE, WireFields.node(call), "STAGE_UNSTAGE_VOLUME");
    judge(
        !plain,
        call,
        "with a plugin that neither attaches nor stages. Its volumes are only published and"
            + " unpublished.",
        150);
  }

  private void told(RecordedCall call, Gate gate) {
    String node = WireFields.node(call);
    judge(
        world.offers().told(gate.part(), node, gate.names()),
        call,
        "before the plugin told that it offers it. Ask for its capabilities first.",
        110);
    int query =
        switch (gate.part()) {
          case CONTROLLER -> 305;
          case NODE -> 453;
          case GROUP -> 484;
          case PLUGIN -> 110;
        };
    if (query != 110) {
      judge(
          world.offers().asked(gate.part(), node),
          call,
          "before anybody asked this service for its capabilities. Ask first.",
          query);
    }
  }

  private void version(RecordedCall call) {
    if (!version.isEmpty()) {
      judge(
          !versionChanged,
          call,
          "by the capabilities of another version: the plugin told a new vendor_version. Read its"
              + " capabilities again.",
          103);
    }
  }

  private void fields(RecordedCall call) {
    if (call.operation() == CsiOperation.CREATE_VOLUME) {
      source(call);
      field(call, "mutable_parameters", Part.CONTROLLER, "MODIFY_VOLUME", 128, 192);
      String constraints = "VOLUME_ACCESSIBILITY_CONSTRAINTS";
      field(call, "accessibility_requirements", Part.PLUGIN, constraints, 195);
    }
    if (call.operation() == CsiOperation.VALIDATE_VOLUME_CAPABILITIES) {
      field(call, "mutable_parameters", Part.CONTROLLER, "MODIFY_VOLUME", 128, 268);
    }
    if (call.operation() == CsiOperation.GET_CAPACITY) {
      String constraints = "VOLUME_ACCESSIBILITY_CONSTRAINTS";
      field(call, "accessible_topology", Part.PLUGIN, constraints, 299);
    }
    if (call.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME
        && call.request().flag("readonly")) {
      field(call, "readonly", Part.CONTROLLER, "PUBLISH_READONLY", 118, 235);
    }
    WireFields.capabilities(call).forEach(capability -> capability(call, capability));
  }

  private void source(RecordedCall call) {
    WireMessage source = call.request().message("volume_content_source");
    if (source.has("snapshot")) {
      field(call, "volume_content_source", Part.CONTROLLER, "CREATE_DELETE_SNAPSHOT", 115, 202);
    } else if (source.has("volume")) {
      field(call, "volume_content_source", Part.CONTROLLER, "CLONE_VOLUME", 117, 202);
    }
  }

  private void capability(RecordedCall call, WireMessage capability) {
    boolean onNode = call.operation().service() == CsiService.NODE;
    if (WireFields.mode(capability).startsWith("SINGLE_NODE_")
        && capability.message("access_mode").number("mode") > 5) {
      judge(
          !world
              .offers()
              .lacks(
                  onNode ? Part.NODE : Part.CONTROLLER,
                  WireFields.node(call),
                  "SINGLE_NODE_MULTI_WRITER"),
          call,
          "with the access mode "
              + WireFields.mode(capability)
              + ", which this service does not know: it never told SINGLE_NODE_MULTI_WRITER. Use"
              + " SINGLE_NODE_WRITER.",
          onNode ? 127 : 126);
    }
    if (onNode && !capability.message("mount").text("volume_mount_group").isEmpty()) {
      judge(
          !world.offers().lacks(Part.NODE, WireFields.node(call), "VOLUME_MOUNT_GROUP"),
          call,
          "with a volume_mount_group, which the node never told to take. Leave it out.",
          133,
          426);
    }
  }

  private void field(RecordedCall call, String field, Part part, String capability, int... duties) {
    if (call.request().has(field)) {
      judge(
          !world.offers().lacks(part, WireFields.node(call), capability),
          call,
          "with " + field + ", but the plugin never told " + capability + ". Leave it out.",
          duties);
    }
  }

  /** Whether the call takes away what was made while the capability was offered. */
  private boolean isCleanUp(RecordedCall call) {
    KnownVolume volume = world.knownVolume(WireFields.volume(call));
    if (volume == null) {
      return false;
    }
    return switch (call.operation()) {
      case DELETE_VOLUME -> volume.created != null;
      case CONTROLLER_UNPUBLISH_VOLUME ->
          volume.attachments().values().stream().anyMatch(TrackedUse::possible);
      case NODE_UNSTAGE_VOLUME -> volume.possiblyStaged(WireFields.node(call));
      default -> false;
    };
  }

  private static Gate controller(int duty, String capability) {
    return new Gate(Part.CONTROLLER, duty, capability);
  }

  private static Gate group() {
    return new Gate(Part.GROUP, 134, "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT");
  }
}
