package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Attach, stage, publish, and the same backwards. */
final class OrderRules extends DutyRule {

  OrderRules(Hearing hearing) {
    super(
        hearing,
        "Order of the lifecycle",
        74,
        75,
        77,
        138,
        139,
        140,
        141,
        142,
        143,
        145,
        146,
        147,
        148,
        149,
        151,
        152,
        261,
        373,
        374,
        378,
        392,
        393,
        401,
        404,
        434,
        436);
  }

  @Override
  void began(RecordedCall call) {
    String id = WireFields.volume(call);
    if (id.isEmpty() || !world.isComplete()) {
      return;
    }
    KnownVolume volume = world.volume(id);
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME -> provisioned(call, volume);
      case NODE_STAGE_VOLUME -> stage(call, volume);
      case NODE_PUBLISH_VOLUME -> publish(call, volume);
      case NODE_UNPUBLISH_VOLUME -> unpublish(call, volume);
      case NODE_UNSTAGE_VOLUME -> unstage(call, volume);
      case CONTROLLER_UNPUBLISH_VOLUME -> detach(call, volume);
      case DELETE_VOLUME -> delete(call, volume);
      default -> {}
    }
    followUp(call, volume);
  }

  private void provisioned(RecordedCall call, KnownVolume volume) {
    if (volume.created == null
        && world.offers().has(KnownOffers.Part.PLUGIN, "", "CONTROLLER_SERVICE")) {
      judge(
          volume.validated,
          call,
          "which was not created here and never validated. Call ValidateVolumeCapabilities before"
              + " a pre-provisioned volume is used; to test the node's half alone, take a plugin"
              + " without a controller, such as PluginShape.nodeOnly().",
          261);
    }
  }

  private void attached(RecordedCall call, KnownVolume volume, int duty, int otherNode) {
    if (!world.needsAttachment()) {
      return;
    }
    TrackedUse attachment = world.attachmentHere(volume, WireFields.node(call));
    boolean here = attachment.succeeded();
    judge(
        here,
        call,
        "before the volume is attached to the node. Make ControllerPublishVolume succeed first.",
        duty);
    if (here) {
      kept(otherNode);
    } else if (!attachment.possible() && volume.attachedSomewhere()) {
      broken(
          call,
          "while the volume is attached to another node only. Send it to that node's plugin.",
          List.of(),
          otherNode);
    }
  }

  private void stage(RecordedCall call, KnownVolume volume) {
    provisioned(call, volume);
    attached(call, volume, 138, 374);
    String node = WireFields.node(call);
    String path = WireFields.text(call, "staging_target_path");
    for (Map.Entry<String, TrackedUse> staging : volume.stagings(node).entrySet()) {
      boolean second =
          staging.getValue().standing() && !path.isEmpty() && !staging.getKey().equals(path);
      if (second) {
        broken(
            call,
            "at "
                + BreachWords.quote(path)
                + " while it is staged at "
                + BreachWords.quote(staging.getKey())
                + BreachWords.ref(staging.getValue().maker())
                + ". A volume has one staging path on a node, for all workloads.",
            evidence(staging.getValue()),
            141,
            378);
      }
    }
    if (!volume.staged(node)) {
      kept(378, 373);
    } else if (volume.staging(node, path).certain()) {
      judge(
          !volume.published(node),
          call,
          "although it is staged there and in use. Stage once, and publish for every workload.",
          373);
    }
  }

  private void publish(RecordedCall call, KnownVolume volume) {
    provisioned(call, volume);
    attached(call, volume, 140, 401);
    String node = WireFields.node(call);
    if (!world.needsStaging(node)) {
      return;
    }
    boolean staged = volume.succeededToStage(node);
    judge(
        staged, call, "before it is staged on the node. Make NodeStageVolume succeed first.", 139);
    if (staged) {
      String path = WireFields.text(call, "staging_target_path");
      TrackedUse staging = volume.stagings(node).get(path);
      judge(
          staging != null && staging.possible(),
          call,
          path.isEmpty()
              ? "without staging_target_path. Send the path at which the volume is staged."
              : "with a staging_target_path at which the volume is not staged. Send the path given"
                  + " to NodeStageVolume.",
          404);
      if (!volume.publications(node).isEmpty()) {
        kept(141);
      }
    }
  }

  private void unpublish(RecordedCall call, KnownVolume volume) {
    String node = WireFields.node(call);
    TrackedUse thing = volume.publications(node).get(WireFields.text(call, "target_path"));
    boolean known = thing != null && thing.tried();
    if (!WireFields.text(call, "target_path").isEmpty() && (known || volume.published(node))) {
      judge(
          known,
          call,
          "at a path where it was never published. Keep the target path until it is unpublished.",
          434);
    }
    known |= volume.publications().isEmpty();
    elsewhere(call, known || volume.possiblyPublished(node), volume.publishedSomewhere(), 436);
    if (thing != null && thing.standing()) {
      kept(149);
    }
  }

  private void elsewhere(RecordedCall call, boolean here, boolean somewhere, int duty) {
    if (here) {
      kept(duty);
    } else if (somewhere) {
      broken(
          call,
          "on a node where the volume is not, while it is on another. Send it to that one.",
          List.of(),
          duty);
    }
  }

  private void unstage(RecordedCall call, KnownVolume volume) {
    String node = WireFields.node(call);
    List<RecordedCall> evidence = new ArrayList<>();
    String where = standing(volume.publications(node), evidence);
    List<TrackedUse> left =
        volume.publications(node).values().stream().filter(TrackedUse::standing).toList();
    if (where.isEmpty()) {
      kept(142, 143);
    } else if (left.stream().allMatch(TrackedUse::refusedOften)) {
      excused(
          call,
          "while it may still be published at "
              + where
              + ", whose NodeUnpublishVolume the plugin has refused at least five times.",
          evidence,
          142,
          143,
          149);
      left.forEach(TrackedUse::unknown);
    } else {
      broken(
          call,
          "while it is still published at " + where + ". Unpublish every target first.",
          evidence,
          142,
          143,
          149);
    }
    String path = WireFields.text(call, "staging_target_path");
    TrackedUse thing = volume.stagings(node).get(path);
    boolean known = thing != null && thing.tried();
    if (!path.isEmpty() && (known || volume.staged(node))) {
      judge(
          known,
          call,
          "at a path where it was never staged. Keep the staging path until it is unstaged.",
          393);
    }
    elsewhere(call, known || volume.possiblyStaged(node), volume.stagedSomewhere(), 392);
    if (thing != null && thing.standing()) {
      kept(148);
    }
  }

  private void detach(RecordedCall call, KnownVolume volume) {
    String asked = WireFields.text(call, "node_id");
    List<RecordedCall> evidence = new ArrayList<>();
    List<String> published = new ArrayList<>();
    List<String> staged = new ArrayList<>();
    for (String node : volume.publications().keySet()) {
      if (isAsked(asked, node)) {
        addTo(published, standing(volume.publications(node), evidence));
      }
    }
    for (String node : volume.stagings().keySet()) {
      if (isAsked(asked, node)) {
        addTo(staged, standing(volume.stagings(node), evidence));
      }
    }
    if (!published.isEmpty()) {
      broken(
          call,
          "while it is still published at "
              + String.join(", ", published)
              + ". Unpublish every target first.",
          evidence,
          147,
          149);
    } else {
      kept(147);
    }
    if (!staged.isEmpty()) {
      broken(
          call,
          "while it is still staged at " + String.join(", ", staged) + ". Unstage it first.",
          evidence,
          145,
          148);
    } else {
      kept(145);
    }
    judge(
        published.isEmpty() && staged.isEmpty(),
        call,
        "before all NodeUnpublishVolume and NodeUnstageVolume for it have succeeded.",
        146);
  }

  private boolean isAsked(String asked, String node) {
    return asked.isEmpty() || asked.equals(node) || world.nodeIds(node).contains(asked);
  }

  private void delete(RecordedCall call, KnownVolume volume) {
    List<RecordedCall> evidence = new ArrayList<>();
    List<String> where = new ArrayList<>();
    addTo(where, standing(volume.attachments(), evidence));
    volume.stagings().values().forEach(paths -> addTo(where, standing(paths, evidence)));
    volume.publications().values().forEach(paths -> addTo(where, standing(paths, evidence)));
    if (where.isEmpty()) {
      kept(152);
    } else {
      broken(
          call,
          "while it is still in use at "
              + String.join(", ", where)
              + ". Unpublish, unstage and detach it everywhere first.",
          evidence,
          152);
    }
    if (volume.stagedSomewhere()) {
      broken(call, "while it is staged. Unstage every staging path first.", evidence, 148);
    }
    if (volume.publishedSomewhere()) {
      broken(call, "while it is published. Unpublish every target first.", evidence, 149);
    }
    if (volume.validated || volume.created != null) {
      judge(
          volume.created != null,
          call,
          "which the plugin had before its caller came. A pre-provisioned volume is left to those"
              + " who made it.",
          151);
    }
  }

  /** A lost call has to be repeated or undone before what lies below it is taken away. */
  private void followUp(RecordedCall call, KnownVolume volume) {
    String node = WireFields.node(call);
    switch (call.operation()) {
      case NODE_UNSTAGE_VOLUME -> lost(call, volume.publications(node), "published");
      case CONTROLLER_UNPUBLISH_VOLUME -> {
        String asked = WireFields.text(call, "node_id");
        volume.stagings().keySet().stream()
            .filter(on -> isAsked(asked, on))
            .forEach(on -> lost(call, volume.stagings(on), "staged"));
        volume.publications().keySet().stream()
            .filter(on -> isAsked(asked, on))
            .forEach(on -> lost(call, volume.publications(on), "published"));
      }
      case DELETE_VOLUME -> {
        lost(call, volume.attachments(), "attached");
        volume.stagings().values().forEach(paths -> lost(call, paths, "staged"));
        volume.publications().values().forEach(paths -> lost(call, paths, "published"));
      }
      case CONTROLLER_PUBLISH_VOLUME ->
          settled(volume.attachments().get(WireFields.text(call, "node_id")));
      case NODE_STAGE_VOLUME ->
          settled(volume.stagings(node).get(WireFields.text(call, "staging_target_path")));
      case NODE_PUBLISH_VOLUME, NODE_UNPUBLISH_VOLUME ->
          settled(volume.publications(node).get(WireFields.text(call, "target_path")));
      default -> {}
    }
    if (call.operation() == io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME) {
      settled(volume.stagings(node).get(WireFields.text(call, "staging_target_path")));
    }
    if (call.operation() == io.csi4j.client.model.CsiOperation.CONTROLLER_UNPUBLISH_VOLUME) {
      settled(volume.attachments().get(WireFields.text(call, "node_id")));
    }
  }

  private void settled(@Nullable TrackedUse thing) {
    if (thing != null && thing.lost() != null) {
      kept(74, 75, 77);
    }
  }

  private void lost(RecordedCall call, Map<String, TrackedUse> things, String what) {
    things.forEach(
        (where, thing) -> {
          RecordedCall lost = thing.lost();
          if (lost != null) {
            broken(
                call,
                "while it may be "
                    + what
                    + " at "
                    + BreachWords.quote(where)
                    + ": the outcome of call "
                    + lost.number()
                    + " is not known. Repeat that call or issue its opposite first.",
                List.of(lost),
                74,
                75,
                77);
          }
        });
  }

  private static String standing(Map<String, TrackedUse> things, List<RecordedCall> evidence) {
    List<String> where = new ArrayList<>();
    things.forEach(
        (key, thing) -> {
          if (thing.standing()) {
            evidence.addAll(evidence(thing));
            where.add(BreachWords.quote(key) + BreachWords.ref(thing.maker()));
          }
        });
    return String.join(", ", where);
  }

  private static void addTo(List<String> list, String text) {
    if (!text.isEmpty()) {
      list.add(text);
    }
  }

  private static List<RecordedCall> evidence(TrackedUse thing) {
    RecordedCall maker = thing.maker();
    return maker == null ? List.of() : List.of(maker);
  }
}
