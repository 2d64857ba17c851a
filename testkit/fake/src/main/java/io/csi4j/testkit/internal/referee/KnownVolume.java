package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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

  private final Map<String, TrackedUse> attachments = new TreeMap<>();
  private final Map<String, Map<String, TrackedUse>> stagings = new TreeMap<>();
  private final Map<String, Map<String, TrackedUse>> publications = new TreeMap<>();

  KnownVolume(String id) {
    this.id = id;
  }

  TrackedUse attachment(String node) {
    return attachments.computeIfAbsent(node, key -> new TrackedUse());
  }

  Map<String, TrackedUse> attachments() {
    return attachments;
  }

  TrackedUse staging(String node, String path) {
    return stagings
        .computeIfAbsent(node, key -> new TreeMap<>())
        .computeIfAbsent(path, key -> new TrackedUse());
  }

  /** By path. */
  Map<String, TrackedUse> stagings(String node) {
    return stagings.getOrDefault(node, Map.of());
  }

  /** By node and path. */
  Map<String, Map<String, TrackedUse>> stagings() {
    return stagings;
  }

  TrackedUse publication(String node, String target) {
    return publications
        .computeIfAbsent(node, key -> new TreeMap<>())
        .computeIfAbsent(target, key -> new TrackedUse());
  }

  /** By target. */
  Map<String, TrackedUse> publications(String node) {
    return publications.getOrDefault(node, Map.of());
  }

  /** By node and target. */
  Map<String, Map<String, TrackedUse>> publications() {
    return publications;
  }

  /** Whether a staging on a node is so. */
  boolean staged(String node, Predicate<TrackedUse> so) {
    return stagings(node).values().stream().anyMatch(so);
  }

  /** Whether a publication on a node is so. */
  boolean published(String node, Predicate<TrackedUse> so) {
    return publications(node).values().stream().anyMatch(so);
  }

  /** Whether it is published anywhere, for certain. */
  boolean publishedSomewhere() {
    return publications.keySet().stream().anyMatch(node -> published(node, TrackedUse::standing));
  }

  /** Whether it is staged anywhere, for certain. */
  boolean stagedSomewhere() {
    return stagings.keySet().stream().anyMatch(node -> staged(node, TrackedUse::standing));
  }

  /** Whether it is attached anywhere, for certain. */
  boolean attachedSomewhere() {
    return attachments.values().stream().anyMatch(TrackedUse::standing);
  }

  /** Whether it is, or may be, attached to a node whose id no answer told. */
  boolean attachedAsUnknown(KnownWorld world) {
    return attachments.entrySet().stream()
        .anyMatch(one -> one.getValue().possible() && !world.isNodeId(one.getKey()));
  }

  /** Every attachment, staging and publication. */
  Stream<TrackedUse> things() {
    List<TrackedUse> all = new ArrayList<>(attachments.values());
    stagings.values().forEach(paths -> all.addAll(paths.values()));
    publications.values().forEach(targets -> all.addAll(targets.values()));
    return all.stream();
  }

  /** Whether a staging or publication at a path of a node is so. */
  boolean at(String node, String path, Predicate<TrackedUse> so) {
    return Stream.of(stagings(node).get(path), publications(node).get(path))
        .anyMatch(use -> use != null && so.test(use));
  }

  void deleted() {
    deleted = true;
    pendingExpansion = null;
    things().forEach(TrackedUse::gone);
  }
}
