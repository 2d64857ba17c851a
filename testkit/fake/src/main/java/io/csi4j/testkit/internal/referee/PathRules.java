package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.PathFact;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.Quirk;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Rules for the paths in requests, and for the files at these paths. */
final class PathRules extends DutyRule {

  /**
   * For each node and target path, the call that published the first volume at that path. The entry
   * is removed when the volume is unpublished.
   */
  private final Map<String, RecordedCall> targets = new HashMap<>();

  /** The target paths in all calls so far, each with its node. */
  private final Set<String> asked = new HashSet<>();

  private boolean neverMade;

  PathRules(Hearing hearing) {
    super(hearing, "Paths");
  }

  @Override
  void began(RecordedCall call) {
    for (String field :
        List.of("volume_path", "volume_publish_path", "target_path", "staging_target_path")) {
      String path = WireFields.text(call, field);
      if (!path.isEmpty() && isJudged(call, field)) {
        judge(path.startsWith("/"), call, field);
      }
    }
    switch (call.operation()) {
      case NODE_STAGE_VOLUME -> stagingDirectory(call);
      case NODE_PUBLISH_VOLUME -> target(call);
      case NODE_UNPUBLISH_VOLUME -> removed(call);
      case NODE_GET_VOLUME_STATS -> {
        staging(call);
        volumePath(call, TrackedUse::tried);
      }
      case NODE_GET_VOLUME_HEALTH -> {
        // Both paths are optional in this call, and the volume need not be staged.
        if (world.offers.lacks(Part.NODE, WireFields.node(call), "STAGE_UNSTAGE_VOLUME")) {
          judge(!call.request().has("staging_target_path"), call, "staging path not needed");
        }
      }
      case NODE_EXPAND_VOLUME -> {
        staging(call);
        expandable(call);
      }
      default -> {}
    }
  }

  private void stagingDirectory(RecordedCall call) {
    PathFact fact = call.paths().getOrDefault("staging_target_path", PathFact.UNKNOWN);
    if (fact != PathFact.UNKNOWN) {
      judge(fact != PathFact.OTHER, call, "no directory");
      judge(!isMissing(fact), call, "missing");
    }
  }

  private void target(RecordedCall call) {
    String path = WireFields.text(call, "target_path");
    boolean first = asked.add(key(call));
    PathFact fact = call.paths().getOrDefault("target_path", PathFact.UNKNOWN);
    if (fact != PathFact.UNKNOWN) {
      judge(fact != PathFact.PARENT_MISSING, call, "parent missing");
      if (first && world.isComplete()) {
        judge(isMissing(fact), call, "target exists");
      }
    }
    RecordedCall owner = targets.get(key(call));
    if (path.isEmpty()) {
      return;
    }
    if (owner == null || WireFields.volume(owner).equals(WireFields.volume(call))) {
      kept(call, "shared target");
    } else {
      String volume = quote(WireFields.volume(owner));
      judge(false, List.of(owner), call, "shared target", quote(path), volume, ref(owner));
    }
  }

  private void removed(RecordedCall call) {
    KnownVolume volume = world.volume(WireFields.volume(call));
    TrackedUse thing =
        volume.publications.on(WireFields.node(call)).get(WireFields.text(call, "target_path"));
    PathFact fact = call.paths().getOrDefault("target_path", PathFact.UNKNOWN);
    if (thing != null && thing.certain() && fact != PathFact.UNKNOWN && !neverMade) {
      judge(!isMissing(fact), call, "target removed");
    }
  }

  private static boolean isMissing(PathFact fact) {
    return fact == PathFact.MISSING || fact == PathFact.PARENT_MISSING;
  }

  @Override
  void happened(JournalEvent event) {
    if (event instanceof JournalEvent.Started started) {
      neverMade |= started.shape().has(Quirk.TARGET_NEVER_MADE);
    } else if (event instanceof JournalEvent.Forgot) {
      targets.clear();
    }
  }

  private void staging(RecordedCall call) {
    boolean there = call.request().has("staging_target_path");
    String node = WireFields.node(call);
    if (world.needsStaging(node)) {
      // The field is optional, but a caller that knows the path should send it.
      boolean isStaged =
          world.volume(WireFields.volume(call)).stagings.any(node, TrackedUse::certain);
      judge(there || !isStaged, call, "staging path known");
    } else if (world.offers.lacks(Part.NODE, node, "STAGE_UNSTAGE_VOLUME")) {
      judge(!there, call, "staging path not needed");
    }
  }

  private void volumePath(RecordedCall call, Predicate<TrackedUse> so) {
    String path = WireFields.text(call, "volume_path");
    KnownVolume volume = world.volume(WireFields.volume(call));
    if (!path.isEmpty() && !volume.id.isEmpty() && world.isComplete()) {
      judge(volume.at(WireFields.node(call), path, so), call, "other volume path");
    }
  }

  private void expandable(RecordedCall call) {
    if (!world.isComplete() || WireFields.volume(call).isEmpty()) {
      return;
    }
    String node = WireFields.node(call);
    KnownVolume volume = world.volume(WireFields.volume(call));
    boolean here =
        volume.stagings.any(node, TrackedUse::possible)
            || volume.publications.any(node, TrackedUse::possible);
    judge(here, call, "not on the node");
    if (here) {
      volumePath(call, TrackedUse::possible);
    }
    if (world.needsStaging(node)) {
      judge(volume.stagings.any(node, TrackedUse::succeeded), call, "not staged");
    } else if (world.offers.lacks(Part.NODE, node, "STAGE_UNSTAGE_VOLUME")) {
      judge(volume.publications.any(node, TrackedUse::succeeded), call, "not published");
    }
  }

  @Override
  void ended(RecordedCall call) {
    switch (call.operation()) {
      case NODE_PUBLISH_VOLUME -> {
        if (CallOutcome.of(call) != CallOutcome.REFUSED) {
          targets.putIfAbsent(key(call), call);
        }
      }
      case NODE_UNPUBLISH_VOLUME -> {
        RecordedCall owner = targets.get(key(call));
        boolean own = owner != null && WireFields.volume(owner).equals(WireFields.volume(call));
        if (own && (call.ok() || CallOutcome.of(call) == CallOutcome.REFUSED)) {
          targets.remove(key(call));
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

  private static String key(RecordedCall call) {
    return WireFields.node(call) + "\n" + WireFields.text(call, "target_path");
  }
}
