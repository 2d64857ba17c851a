package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.internal.spec.CallNeeds;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.List;

/** Rules about calls and fields that require a capability of the plugin. */
final class OfferRules extends DutyRule {

  private String version = "";
  private boolean versionChanged;
  private boolean readSinceStart;

  OfferRules(Hearing hearing) {
    super(hearing, "Capabilities");
  }

  @Override
  void began(RecordedCall call) {
    CsiOperation.Service service = call.operation().service();
    if (service != CsiOperation.Service.NODE && service != CsiOperation.Service.IDENTITY) {
      service(call, service.name() + "_SERVICE");
    }
    List<String> anyOf = CallNeeds.of(call.operation()).capabilities();
    if (!anyOf.isEmpty() && !isCleanUp(call)) {
      gate(call, anyOf.toArray(String[]::new));
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

  private void service(RecordedCall call, String capability) {
    judge(!world.offers.lacks(Part.PLUGIN, "", capability), call, capability);
    if (world.isComplete()
        && call.operation().service() == CsiOperation.Service.SNAPSHOT_METADATA) {
      judge(world.offers.told(Part.PLUGIN, "", capability), call, "not told");
    }
  }

  private void gate(RecordedCall call, String... anyOf) {
    Part part =
        switch (call.operation().service()) {
          case NODE -> Part.NODE;
          case GROUP_CONTROLLER -> Part.GROUP;
          default -> Part.CONTROLLER;
        };
    String node = WireFields.node(call);
    boolean lacking = world.offers.lacks(part, node, anyOf);
    judge(!lacking, call, "capability");
    switch (call.operation()) {
      case CONTROLLER_EXPAND_VOLUME -> {
        if (world.offers.told(Part.NODE, node, "EXPAND_VOLUME")) {
          judge(!lacking, call, "nodes expand alone");
        }
      }
      case CONTROLLER_PUBLISH_VOLUME,
          CONTROLLER_UNPUBLISH_VOLUME,
          NODE_STAGE_VOLUME,
          NODE_UNSTAGE_VOLUME -> {
        boolean plain =
            world.offers.lacks(Part.CONTROLLER, "", "PUBLISH_UNPUBLISH_VOLUME")
                && world.offers.lacks(Part.NODE, node, "STAGE_UNSTAGE_VOLUME");
        judge(!plain, call, "plain life");
      }
      default -> {}
    }
    if (world.isComplete()) {
      judge(world.offers.told(part, node, anyOf), call, "not told");
      judge(world.offers.asked(part, node), call, part + " not asked");
      if (!version.isEmpty()) {
        judge(!versionChanged, call, "other version");
      }
    }
  }

  private void fields(RecordedCall call) {
    for (CallNeeds.FieldNeed need : CallNeeds.of(call.operation()).optionalFields()) {
      if (need.isIn(call.request())) {
        field(call, need.name(), Part.valueOf(need.part()), need.capability());
      }
    }
    WireFields.capabilities(call).forEach(capability -> capability(call, capability));
  }

  private void field(RecordedCall call, String field, Part part, String capability) {
    judge(!world.offers.lacks(part, WireFields.node(call), capability), call, field);
  }

  private void capability(RecordedCall call, WireMessage capability) {
    boolean onNode = call.operation().service() == CsiOperation.Service.NODE;
    String mode = WireFields.mode(capability);
    if (mode.startsWith("SINGLE_NODE_") && capability.message("access_mode").number("mode") > 5) {
      Part part = onNode ? Part.NODE : Part.CONTROLLER;
      boolean lacking = world.offers.lacks(part, WireFields.node(call), "SINGLE_NODE_MULTI_WRITER");
      judge(!lacking, call, part + " access mode", mode);
    }
    if (onNode && !capability.message("mount").text("volume_mount_group").isEmpty()) {
      field(call, "mount group", Part.NODE, "VOLUME_MOUNT_GROUP");
    }
  }

  /**
   * Returns whether the call removes an object or a use that was created while the plugin offered
   * the capability.
   */
  private boolean isCleanUp(RecordedCall call) {
    KnownVolume volume = world.knownVolume(WireFields.volume(call));
    if (volume == null) {
      return false;
    }
    return switch (call.operation()) {
      case DELETE_VOLUME -> volume.created != null;
      case CONTROLLER_UNPUBLISH_VOLUME ->
          volume.attachments.values().stream().anyMatch(TrackedUse::possible);
      case NODE_UNSTAGE_VOLUME -> volume.stagings.any(WireFields.node(call), TrackedUse::possible);
      default -> false;
    };
  }
}
