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

/** The referee's record of one volume. */
final class KnownVolume {

  final String id;

  /** The call that created the volume; null for a volume from elsewhere. */
  @Nullable RecordedCall created;

  /** The volume's context in each answer: one, unless the plugin later returns another one. */
  final Set<Map<String, String>> contexts = new HashSet<>();

  /**
   * The topology in any answer; empty if the volume is accessible from everywhere, or if its
   * creation returned none.
   */
  final Set<WireMessage> topology = new HashSet<>();

  boolean validated;
  boolean deleted;

  /** An expansion that the nodes have yet to perform. */
  @Nullable RecordedCall pendingExpansion;

  /** Whether the volume was published on a node while an expansion was pending. */
  boolean usedWhilePending;

  /** Whether the controller has expanded the volume, or may have. */
  boolean expanded;

  /** Number of certain changes, which distinguishes a repeat from a new attempt. */
  long changes;

  /** Attachments by node. */
  final Map<String, TrackedUse> attachments = new TreeMap<>();

  final Places stagings = new Places();
  final Places publications = new Places();

  /** Stagings or publications. */
  static final class Places {
    /** Uses by node and path. */
    final Map<String, Map<String, TrackedUse>> all = new TreeMap<>();

    TrackedUse use(String node, String path) {
      return all.computeIfAbsent(node, key -> new TreeMap<>())
          .computeIfAbsent(path, key -> new TrackedUse());
    }

    Map<String, TrackedUse> on(String node) {
      return all.getOrDefault(node, Map.of());
    }

    /** Returns whether a use on a node satisfies the condition. */
    boolean any(String node, Predicate<TrackedUse> so) {
      return on(node).values().stream().anyMatch(so);
    }

    /** Returns whether a use is certain anywhere. */
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

  /** Returns whether the volume is certainly attached to at least one node. */
  boolean attachedSomewhere() {
    return attachments.values().stream().anyMatch(TrackedUse::standing);
  }

  /** Returns whether the volume is, or may be, attached to a node whose id no answer contained. */
  boolean attachedAsUnknown(KnownWorld world) {
    return attachments.entrySet().stream()
        .anyMatch(one -> one.getValue().possible() && !world.nodes.containsKey(one.getKey()));
  }

  /** Returns every attachment, staging and publication. */
  Stream<TrackedUse> things() {
    return Stream.of(attachments.values().stream(), stagings.uses(), publications.uses())
        .flatMap(uses -> uses);
  }

  /** Returns whether a staging or publication at a path of a node satisfies the condition. */
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
