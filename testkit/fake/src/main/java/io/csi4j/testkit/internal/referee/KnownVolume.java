package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The knowledge of one volume. */
final class KnownVolume {

  final String id;

  /** The call that created it; null for a volume that came from elsewhere. */
  @Nullable RecordedCall created;

  /** Its own context by each answer: one, unless the plugin tells another one later. */
  final Set<Map<String, String>> contexts = new HashSet<>();

  /**
   * Where it can be reached by any answer; empty if from everywhere, or if its creation told
   * nothing.
   */
  final Set<WireMessage> topology = new HashSet<>();

  boolean validated;
  boolean deleted;

  /** The expansion that the nodes still have to follow. */
  @Nullable RecordedCall pendingExpansion;

  /** Whether the volume was published on a node while an expansion was pending. */
  boolean usedWhilePending;

  /** Whether the controller expanded it, or may have. */
  boolean expanded;

  /** Counts what changed for certain, so that a repeat can be told from a new attempt. */
  long changes;

  /** By node. */
  final Map<String, TrackedUse> attachments = new TreeMap<>();

  final Places stagings = new Places();
  final Places publications = new Places();

  /** Stagings or publications. */
  static final class Places {
    /** By node and path. */
    final Map<String, Map<String, TrackedUse>> all = new TreeMap<>();

    TrackedUse use(String node, String path) {
      return all.computeIfAbsent(node, key -> new TreeMap<>())
          .computeIfAbsent(path, key -> new TrackedUse());
    }

    Map<String, TrackedUse> on(String node) {
      return all.getOrDefault(node, Map.of());
    }

    /** Whether one on a node is so. */
    boolean any(String node, Predicate<TrackedUse> so) {
      return on(node).values().stream().anyMatch(so);
    }

    /** Whether there is one anywhere, for certain. */
    boolean somewhere() {
      return uses().anyMatch(TrackedUse::standing);
    }

    Stream<TrackedUse> uses() {
      return all.values().stream().flatMap(paths -> paths.values().stream());
    }
  }

  KnownVolume(String id) {
    this.id = id;
  }

  TrackedUse attachment(String node) {
    return attachments.computeIfAbsent(node, key -> new TrackedUse());
  }

  /** Whether it is attached anywhere, for certain. */
  boolean attachedSomewhere() {
    return attachments.values().stream().anyMatch(TrackedUse::standing);
  }

  /** Whether it is, or may be, attached to a node whose id no answer told. */
  boolean attachedAsUnknown(KnownWorld world) {
    return attachments.entrySet().stream()
        .anyMatch(one -> one.getValue().possible() && !world.nodes.containsKey(one.getKey()));
  }

  /** Every attachment, staging and publication. */
  Stream<TrackedUse> things() {
    return Stream.of(attachments.values().stream(), stagings.uses(), publications.uses())
        .flatMap(uses -> uses);
  }

  /** Whether a staging or publication at a path of a node is so. */
  boolean at(String node, String path, Predicate<TrackedUse> so) {
    return Stream.of(stagings.on(node).get(path), publications.on(node).get(path))
        .anyMatch(use -> use != null && so.test(use));
  }

  void deleted() {
    deleted = true;
    pendingExpansion = null;
    things().forEach(TrackedUse::gone);
  }
}
