package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.PathFact;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which paths are given, and what stands there. */
final class PathRules extends DutyRule {

  private static final String NEEDED =
      " without staging_target_path, although the plugin stages. Send the path at which the volume"
          + " is staged.";

  /** The volume that had a target path first, by node and path, while it is published there. */
  private final Map<String, RecordedCall> targets = new HashMap<>();

  /** The targets that were ever asked for, by node and path, of all volumes. */
  private final Set<String> asked = new HashSet<>();

  PathRules(Hearing hearing) {
    super(
        hearing, "Paths", 377, 379, 381, 393, 405, 406, 407, 409, 434, 435, 442, 443, 444, 445, 446,
        466, 467, 468, 470, 472, 473, 474);
  }

  @Override
  void began(RecordedCall call) {
    switch (call.operation()) {
      case NODE_STAGE_VOLUME -> {
        absolute(call, "staging_target_path", 377);
        stagingDirectory(call);
      }
      case NODE_UNSTAGE_VOLUME -> absolute(call, "staging_target_path", 393);
      case NODE_PUBLISH_VOLUME -> {
        absolute(call, "target_path", 405);
        target(call);
      }
      case NODE_UNPUBLISH_VOLUME -> {
        absolute(call, "target_path", 434);
        removed(call);
      }
      case NODE_GET_VOLUME_STATS -> {
        absolute(call, "volume_path", 443);
        absolute(call, "staging_target_path", 446);
        staging(call, 444, 445);
        volumePath(call, 442);
      }
      case NODE_EXPAND_VOLUME -> {
        absolute(call, "staging_target_path", 474);
        staging(call, 472, 473);
        expandable(call);
      }
      default -> {}
    }
  }

  private void absolute(RecordedCall call, String field, int duty) {
    String path = call.request().text(field);
    if (!path.isEmpty()) {
      judge(
          path.startsWith("/"), call, "with a relative " + field + ". Send an absolute one.", duty);
    }
  }

  private void stagingDirectory(RecordedCall call) {
    PathFact fact = call.paths().getOrDefault("staging_target_path", PathFact.UNKNOWN);
    if (fact == PathFact.UNKNOWN) {
      return;
    }
    judge(
        fact != PathFact.OTHER,
        call,
        "at a path where something stands that is no directory. Give a directory, also for block"
            + " volumes.",
        379);
    judge(
        fact != PathFact.MISSING && fact != PathFact.PARENT_MISSING,
        call,
        "at a path that does not exist. Make the staging directory before.",
        381);
  }

  private void target(RecordedCall call) {
    String path = call.request().text("target_path");
    boolean first = asked.add(key(call, path));
    PathFact fact = call.paths().getOrDefault("target_path", PathFact.UNKNOWN);
    if (fact != PathFact.UNKNOWN) {
      judge(
          fact != PathFact.PARENT_MISSING,
          call,
          "below a directory that does not exist. Make the parent of the target before.",
          407);
      if (first && world.isComplete()) {
        judge(
            fact == PathFact.MISSING || fact == PathFact.PARENT_MISSING,
            call,
            "at a target that exists already. Leave the target to the plugin, and make its parent"
                + " only.",
            409);
      }
    }
    RecordedCall owner = targets.get(key(call, path));
    boolean shared = owner != null && !WireFields.volume(owner).equals(WireFields.volume(call));
    if (!path.isEmpty()) {
      if (shared && owner != null) {
        broken(
            call,
            "at "
                + BreachWords.quote(path)
                + ", where volume "
                + BreachWords.quote(WireFields.volume(owner))
                + " is published"
                + BreachWords.ref(owner)
                + ". Give every volume and workload a target of its own.",
            List.of(owner),
            406);
      } else {
        kept(406);
      }
    }
  }

  private void removed(RecordedCall call) {
    KnownVolume volume = world.volume(WireFields.volume(call));
    TrackedUse thing =
        volume.publications(WireFields.node(call)).get(call.request().text("target_path"));
    PathFact fact = call.paths().getOrDefault("target_path", PathFact.UNKNOWN);
    if (thing != null && thing.certain() && fact != PathFact.UNKNOWN && !neverMade) {
      judge(
          fact != PathFact.MISSING && fact != PathFact.PARENT_MISSING,
          call,
          "whose target was removed before. Leave it to the plugin, and remove its parent only.",
          435);
    }
  }

  private boolean neverMade;

  @Override
  void happened(io.csi4j.testkit.journal.JournalEvent event) {
    if (event instanceof io.csi4j.testkit.journal.JournalEvent.Started started) {
      neverMade |= started.shape().has(io.csi4j.testkit.model.Quirk.TARGET_NEVER_MADE);
    } else if (event instanceof io.csi4j.testkit.journal.JournalEvent.Forgot) {
      targets.clear();
    }
  }

  private void staging(RecordedCall call, int supplied, int matching) {
    boolean there = call.request().has("staging_target_path");
    if (world.needsStaging(WireFields.node(call))) {
      judge(there, call, NEEDED.strip(), supplied, matching);
    } else if (world
        .offers()
        .lacks(KnownOffers.Part.NODE, WireFields.node(call), "STAGE_UNSTAGE_VOLUME")) {
      judge(
          !there,
          call,
          "with a staging_target_path, although the plugin does not stage. Leave it empty.",
          matching);
    }
  }

  private void volumePath(RecordedCall call, int duty) {
    String path = call.request().text("volume_path");
    KnownVolume volume = world.volume(WireFields.volume(call));
    if (!path.isEmpty() && !volume.id.isEmpty() && world.isComplete()) {
      judge(
          volume.paths(WireFields.node(call)).contains(path),
          call,
          "at a volume_path where the volume is neither staged nor published. Send a path where it"
              + " is.",
          duty);
    }
  }

  private void expandable(RecordedCall call) {
    if (!world.isComplete() || WireFields.volume(call).isEmpty()) {
      return;
    }
    String node = WireFields.node(call);
    KnownVolume volume = world.volume(WireFields.volume(call));
    boolean here = volume.possiblyStaged(node) || volume.possiblyPublished(node);
    judge(here, call, "for a volume that is not on the node. Stage or publish it first.", 467);
    if (here) {
      volumePath(call, 466);
    }
    if (world.needsStaging(node)) {
      judge(
          volume.succeededToStage(node), call, "before the volume is staged. Stage it first.", 468);
    } else if (world.offers().lacks(KnownOffers.Part.NODE, node, "STAGE_UNSTAGE_VOLUME")) {
      judge(
          volume.succeededToPublish(node),
          call,
          "before the volume is published. Publish it first.",
          470);
    }
  }

  @Override
  void ended(RecordedCall call) {
    switch (call.operation()) {
      case NODE_PUBLISH_VOLUME -> {
        if (CallOutcome.of(call) != CallOutcome.REFUSED) {
          targets.putIfAbsent(key(call, call.request().text("target_path")), call);
        }
      }
      case NODE_UNPUBLISH_VOLUME -> {
        RecordedCall owner = targets.get(key(call, call.request().text("target_path")));
        boolean own = owner != null && WireFields.volume(owner).equals(WireFields.volume(call));
        if (own && (call.ok() || CallOutcome.of(call) == CallOutcome.REFUSED)) {
          targets.remove(key(call, call.request().text("target_path")));
        }
      }
      case DELETE_VOLUME -> {
        if (call.ok()) {
          targets.values().removeIf(one -> WireFields.volume(one).equals(WireFields.volume(call)));
        }
      }
      default -> {}
    }
  }

  private static String key(RecordedCall call, String path) {
    return WireFields.node(call) + "\n" + path;
  }
}
