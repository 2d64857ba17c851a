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

/** The referee's information about one volume. */
final class KnownVolume {

  final String id;

  /** The call that created the volume; null if the journal contains no such call. */
  @Nullable RecordedCall created;

  /**
   * All contexts that answers contained for this volume. The set has one element, unless the plugin
   * later returned a different context.
   */
  final Set<Map<String, String>> contexts = new HashSet<>();

  /**
   * The topologies that answers contained for this volume. Empty if the volume is accessible
   * everywhere, or if the answer to its creation contained no topology.
   */
  final Set<WireMessage> topology = new HashSet<>();

  boolean validated;
  boolean deleted;

  /** The call that expanded the volume, if the nodes have not performed the expansion yet. */
  @Nullable RecordedCall pendingExpansion;

  /** Whether the volume was published on a node while the expansion on the nodes was pending. */
  boolean usedWhilePending;

  /** Whether the controller has expanded the volume, or may have expanded it. */
  boolean expanded;

  /**
   * Number of certain changes of the volume. The number distinguishes a repeated call from a new
   * attempt after a change.
   */
  long changes;

  /** Attachments by node. */
  final Map<String, TrackedUse> attachments = new TreeMap<>();

  final Places stagings = new Places();
  final Places publications = new Places();

  /** All stagings of a volume, or all its publications. */
  static final class Places {
    /** The uses, by node and path. */
    final Map<String, Map<String, TrackedUse>> all = new TreeMap<>();

    TrackedUse use(String node, String path) {
      return all.computeIfAbsent(node, key -> new TreeMap<>())
          .computeIfAbsent(path, key -> new TrackedUse());
    }

    Map<String, TrackedUse> on(String node) {
      return all.getOrDefault(node, Map.of());
    }

    /** Returns whether any use on the node satisfies the condition. */
    boolean any(String node, Predicate<TrackedUse> so) {
      return on(node).values().stream().anyMatch(so);
    }

    /** Returns whether the volume is certainly in use on at least one node. */
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

  /**
   * Returns whether the volume is attached, or may be attached, to a node whose id no answer of
   * NodeGetInfo contained.
   */
  boolean attachedAsUnknown(KnownWorld world) {
    return attachments.entrySet().stream()
        .anyMatch(one -> one.getValue().possible() && !world.nodes.containsKey(one.getKey()));
  }

  /** Returns every attachment, staging and publication. */
  Stream<TrackedUse> things() {
    return Stream.of(attachments.values().stream(), stagings.uses(), publications.uses())
        .flatMap(uses -> uses);
  }

  /**
   * Returns whether the staging or the publication at this path of the node satisfies the
   * condition.
   */
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
