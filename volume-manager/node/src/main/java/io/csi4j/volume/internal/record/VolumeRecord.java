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
 * All that is remembered of one volume on this node; written as a whole. Holds no secret, and of
 * contexts only digests.
 *
 * @param identity which volume
 * @param plan how it is used
 * @param place where what is said to be present was seen
 * @param staging how far its staging is
 * @param targets who uses it: one for each use, in order
 * @param contexts digests of the volume's contexts with which uses were published, where known;
 *     {@linkplain Digests#inDoubt marked} while a refresh leaves it open which is in force
 * @param leaving the last use, which is over, while no workload has the volume and it is not given
 *     back
 * @param abandoned the uses whose release a person has ended, each with the reason given
 * @param answered the uses, not present, of which every publication has ended, but for the one that
 *     may be pending at their path
 * @param unknown what a newer version wrote and this one does not understand, kept as it is
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

  /** Returns a copy; one for all that are empty, as most of them are. */
  private static <T> SortedMap<VolumeUse, T> copy(SortedMap<VolumeUse, T> map) {
    return map.isEmpty()
        ? Collections.emptySortedMap()
        : Collections.unmodifiableSortedMap(new TreeMap<>(map));
  }

  /** Returns a copy; one for all that are empty. */
  private static SortedSet<VolumeUse> copy(SortedSet<VolumeUse> set) {
    return set.isEmpty()
        ? Collections.emptySortedSet()
        : Collections.unmodifiableSortedSet(new TreeSet<>(set));
  }

  /** A volume without uses that is nowhere. */
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

  /** Returns the volume with its staging further or less far. */
  public VolumeRecord withStaging(PathRecord next) {
    return new VolumeRecord(
        identity, plan, place, next, targets, contexts, leaving, abandoned, answered, unknown);
  }

  /** Returns the volume with one use more, or one that is further or less far. */
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
   * Returns the volume with one use less; the last is remembered while the volume is given back.
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

  /** Returns the volume, where a person has ended the release of a use for this reason. */
  public VolumeRecord abandoning(VolumeUse usage, String reason) {
    SortedMap<VolumeUse, String> next = new TreeMap<>(abandoned);
    next.put(usage, reason);
    return new VolumeRecord(
        identity, plan, place, staging, targets, contexts, leaving, next, answered, unknown);
  }

  /** Returns the volume with a use that is published with the context of this digest. */
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

  /** Returns the volume, where every publication of a use has ended, or need not have. */
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

  /** Whether every publication of a use has ended, but for the one that may be pending. */
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

  /** Whether it is there for certain at one of its paths. */
  public boolean isPresent() {
    return staging.is(PathStatus.PRESENT)
        || targets.values().stream().anyMatch(target -> target.path().is(PathStatus.PRESENT));
  }

  /** Returns the volume, seen at another place. */
  public VolumeRecord at(Place next) {
    return new VolumeRecord(
        identity, plan, next, staging, targets, contexts, leaving, abandoned, answered, unknown);
  }

  /** Returns the volume, used in another way; for one without uses. */
  public VolumeRecord with(Plan next) {
    return new VolumeRecord(
        identity, next, place, staging, targets, contexts, leaving, abandoned, answered, unknown);
  }

  /** One use of it. */
  public Optional<TargetRecord> target(VolumeUse usage) {
    return Optional.ofNullable(targets.get(usage));
  }

  /** Under which claim a use is. */
  public ClaimMark claim(VolumeUse usage) {
    return target(usage).map(TargetRecord::claim).orElse(ClaimMark.NONE);
  }

  /** Whether one of its uses is under a claim. */
  public boolean isClaimed() {
    for (TargetRecord target : targets.values()) {
      if (target.claim().isClaimed()) {
        return true;
      }
    }
    return false;
  }

  /** Whether two records differ; a record has many parts, and mostly both are one object. */
  @SuppressWarnings("ReferenceEquality")
  public boolean differsFrom(VolumeRecord other) {
    return this != other && !equals(other);
  }

  /** Whether it has no uses and is nowhere, for certain. */
  public boolean isEmpty() {
    return targets.isEmpty() && staging.is(PathStatus.NONE);
  }
}
