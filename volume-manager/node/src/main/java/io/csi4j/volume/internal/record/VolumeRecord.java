package io.csi4j.volume.internal.record;

import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The record of one volume on this node. It contains no secrets, and only digests of contexts.
 *
 * @param identity the volume
 * @param plan the parameters with which the volume is used
 * @param place the boot and the mount namespace in which the present mounts were seen
 * @param staging the state of the staging path
 * @param targets the uses, in order
 * @param contexts digests of the volume contexts with which uses were published, if known. A digest
 *     is {@linkplain Digests#inDoubt marked} while it is uncertain, after a refresh, which context
 *     is in effect
 * @param leaving the last use after it has ended, while the cleanup of the volume is pending
 * @param abandoned the uses that an operator abandoned, each with the reason
 * @param answered the uses that are not present and whose publications have all ended, except for a
 *     call that is recorded as pending at their path
 * @param unknown fields of a newer version, kept unchanged
 */
public record VolumeRecord(
    VolumeIdentity identity,
    Plan plan,
    Place place,
    PathRecord staging,
    SortedMap<VolumeUse, TargetRecord> targets,
    SortedMap<VolumeUse, String> contexts,
    Optional<VolumeUse> leaving,
    SortedMap<VolumeUse, String> abandoned,
    SortedSet<VolumeUse> answered,
    UnknownFields unknown) {

  /** Copies the maps. */
  public VolumeRecord {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(plan, "plan");
    Objects.requireNonNull(place, "place");
    Objects.requireNonNull(staging, "staging");
    Objects.requireNonNull(leaving, "leaving");
    Objects.requireNonNull(unknown, "unknown");
    targets = copy(targets);
    contexts = copy(contexts);
    abandoned = copy(abandoned);
    answered = copy(answered);
  }

  /** Returns a copy. Empty maps are the most frequent, and all share one object. */
  private static <T> SortedMap<VolumeUse, T> copy(SortedMap<VolumeUse, T> map) {
    return map.isEmpty()
        ? Collections.emptySortedMap()
        : Collections.unmodifiableSortedMap(new TreeMap<>(map));
  }

  /** Returns a copy. All empty sets share one object. */
  private static SortedSet<VolumeUse> copy(SortedSet<VolumeUse> set) {
    return set.isEmpty()
        ? Collections.emptySortedSet()
        : Collections.unmodifiableSortedSet(new TreeSet<>(set));
  }

  /** Returns the record of a volume without uses and mounts. */
  public static VolumeRecord fresh(VolumeIdentity identity, Plan plan, Place place) {
    return new VolumeRecord(
        identity,
        plan,
        place,
        PathRecord.NONE,
        new TreeMap<>(),
        new TreeMap<>(),
        Optional.empty(),
        new TreeMap<>(),
        new TreeSet<>(),
        UnknownFields.NONE);
  }

  /** Returns this record with another state of the staging path. */
  public VolumeRecord withStaging(PathRecord next) {
    return new VolumeRecord(
        identity, plan, place, next, targets, contexts, leaving, abandoned, answered, unknown);
  }

  /** Returns this record with a new or changed use. */
  public VolumeRecord withTarget(TargetRecord target) {
    SortedMap<VolumeUse, TargetRecord> next = new TreeMap<>(targets);
    next.put(target.usage(), target);
    SortedMap<VolumeUse, String> given = new TreeMap<>(abandoned);
    given.remove(target.usage());
    return new VolumeRecord(
        identity,
        plan,
        place,
        staging,
        next,
        contexts,
        Optional.empty(),
        given,
        answered(
            target.usage(), !target.path().is(PathStatus.PRESENT) && isAnswered(target.usage())),
        unknown);
  }

  /**
   * Returns this record without a use. If it was the last use, the record remembers it until the
   * cleanup of the volume has ended.
   */
  public VolumeRecord without(VolumeUse usage) {
    SortedMap<VolumeUse, TargetRecord> next = new TreeMap<>(targets);
    next.remove(usage);
    SortedMap<VolumeUse, String> left = new TreeMap<>(contexts);
    left.remove(usage);
    Optional<VolumeUse> last = next.isEmpty() ? Optional.of(usage) : Optional.empty();
    return new VolumeRecord(
        identity,
        plan,
        place,
        staging,
        next,
        left,
        last,
        abandoned,
        answered(usage, false),
        unknown);
  }

  /** Returns this record with the note that an operator abandoned a use for this reason. */
  public VolumeRecord abandoning(VolumeUse usage, String reason) {
    SortedMap<VolumeUse, String> next = new TreeMap<>(abandoned);
    next.put(usage, reason);
    return new VolumeRecord(
        identity, plan, place, staging, targets, contexts, leaving, next, answered, unknown);
  }

  /** Returns this record with the digest of the context with which a use was published. */
  public VolumeRecord withContext(VolumeUse usage, String digest) {
    SortedMap<VolumeUse, String> next = new TreeMap<>(contexts);
    if (digest.isEmpty()) {
      next.remove(usage);
    } else {
      next.put(usage, digest);
    }
    return new VolumeRecord(
        identity, plan, place, staging, targets, next, leaving, abandoned, answered, unknown);
  }

  /** Returns this record with the note whether every publication of a use has ended. */
  public VolumeRecord withAnswered(VolumeUse usage, boolean isAnswered) {
    return isAnswered(usage) == isAnswered
        ? this
        : new VolumeRecord(
            identity,
            plan,
            place,
            staging,
            targets,
            contexts,
            leaving,
            abandoned,
            answered(usage, isAnswered),
            unknown);
  }

  /**
   * Returns whether every publication of a use has ended, except for a call that is recorded as
   * pending.
   */
  public boolean isAnswered(VolumeUse usage) {
    return answered.contains(usage);
  }

  private SortedSet<VolumeUse> answered(VolumeUse usage, boolean isAnswered) {
    if (isAnswered(usage) == isAnswered) {
      return answered;
    }
    SortedSet<VolumeUse> next = new TreeSet<>(answered);
    if (isAnswered) {
      next.add(usage);
    } else {
      next.remove(usage);
    }
    return next;
  }

  /** Returns whether the volume is certainly mounted at one of its paths. */
  public boolean isPresent() {
    return staging.is(PathStatus.PRESENT)
        || targets.values().stream().anyMatch(target -> target.path().is(PathStatus.PRESENT));
  }

  /** Returns whether a part of the volume must still be released or is uncertain. */
  public boolean isCleanupPending() {
    return isUnsettled(staging)
        || (targets.isEmpty() && !staging.is(PathStatus.NONE))
        || targets.values().stream().anyMatch(target -> isUnsettled(target.path()));
  }

  private static boolean isUnsettled(PathRecord path) {
    return path.is(PathStatus.GOING) || path.is(PathStatus.IN_DOUBT);
  }

  /** Returns this record with another boot and mount namespace. */
  public VolumeRecord at(Place next) {
    return new VolumeRecord(
        identity, plan, next, staging, targets, contexts, leaving, abandoned, answered, unknown);
  }

  /** Returns this record with another plan. Only for a volume without uses. */
  public VolumeRecord with(Plan next) {
    return new VolumeRecord(
        identity, next, place, staging, targets, contexts, leaving, abandoned, answered, unknown);
  }

  /** Returns one use of the volume. */
  public Optional<TargetRecord> target(VolumeUse usage) {
    return Optional.ofNullable(targets.get(usage));
  }

  /** Returns the claim of a use. */
  public ClaimMark claim(VolumeUse usage) {
    return target(usage).map(TargetRecord::claim).orElse(ClaimMark.NONE);
  }

  /** Returns whether a use of the volume has a claim. */
  public boolean isClaimed() {
    for (TargetRecord target : targets.values()) {
      if (target.claim().isClaimed()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether two records differ. Compares the references first, because both are usually the
   * same object and comparing all components is expensive.
   */
  @SuppressWarnings("ReferenceEquality")
  public boolean differsFrom(VolumeRecord other) {
    return this != other && !equals(other);
  }

  /** Returns whether the volume has no uses and is certainly not mounted. */
  public boolean isEmpty() {
    return targets.isEmpty() && staging.is(PathStatus.NONE);
  }
}
