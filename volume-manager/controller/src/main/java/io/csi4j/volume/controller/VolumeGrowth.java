package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerExpandVolumeResult;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Changes volumes: grows them, and changes their parameters. That one grows is on record before the
 * storage system hears of it, for only its answer says whether the node has to follow.
 */
final class VolumeGrowth {

  private final Catalog catalog;
  private final Controllers controllers;
  private final VolumeCalls calls;
  private final VolumeDeletion ending;
  private final Function<VolumeKey, Optional<Claim>> claims;

  VolumeGrowth(
      Catalog catalog,
      Controllers controllers,
      VolumeCalls calls,
      VolumeDeletion ending,
      Function<VolumeKey, Optional<Claim>> claims) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.ending = ending;
    this.claims = claims;
  }

  /**
   * Grows a volume; one that is large enough stays as it is. A wish that was not fulfilled gives
   * way to another one, which may be smaller, but not smaller than the volume is.
   */
  CatalogVolume expand(VolumeKey key, CapacityRange to) {
    CatalogEntry record = there(key, "expanding");
    CatalogVolume volume = record.volume().orElseThrow();
    Optional<State.Growing> before =
        record.state() instanceof State.Growing growing ? Optional.of(growing) : Optional.empty();
    if (before.filter(it -> it.to().equals(to)).isPresent()) {
      return grow(record, before.get(), false).volume().orElseThrow();
    }
    Subject subject = Subject.of("expanding", VolumeCalls.identity(volume));
    OptionalLong size = volume.capacityBytes();
    if (size.isPresent() && to.limitBytes().orElse(Long.MAX_VALUE) < size.getAsLong()) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_SHRINKS,
          subject,
          "it has " + size.getAsLong() + " bytes, and is asked to have " + to);
    }
    if (before.isEmpty() && size.isPresent() && to.contains(size.getAsLong())) {
      return volume;
    }
    ControllerFacts facts = StepWait.on(controllers.facts(volume.plugin(), subject));
    if (facts.expandsOnlyOffline()) {
      ending.refuseClaimed(subject, key);
    }
    State.Growing begun =
        before
            .map(it -> new State.Growing(maybeGrown(it), notBelow(size(volume), to)))
            .orElseGet(() -> new State.Growing(volume, to));
    return grow(catalog.put(subject, record.in(begun)), begun, before.isEmpty())
        .volume()
        .orElseThrow();
  }

  /** The wish, asking for what is there at least: so that its answer says what there is. */
  private static CapacityRange notBelow(long bytes, CapacityRange to) {
    return bytes == 0 || to.requiredBytes().orElse(0) >= bytes
        ? to
        : new CapacityRange(OptionalLong.of(bytes), to.limitBytes());
  }

  /** Goes on with what was begun. */
  CatalogEntry goOn(CatalogEntry record) {
    return record.state() instanceof State.Growing begun ? grow(record, begun, false) : record;
  }

  private CatalogEntry grow(CatalogEntry record, State.Growing begun, boolean isFirst) {
    CatalogVolume volume = begun.volume();
    Subject subject = Subject.of("expanding", VolumeCalls.identity(volume));
    ControllerExpandVolumeResult answer;
    try {
      ControllerFacts facts = StepWait.on(controllers.facts(volume.plugin(), subject));
      answer =
          StepWait.on(
              controllers.call(
                  calls.expand(
                      volume,
                      begun.to(),
                      VolumeCalls.known(capability(volume), facts, record.olderModes()))));
    } catch (ControllerException failed) {
      if (failed.outcome() == Outcome.REFUSED || (isFirst && isUntouched(failed))) {
        catalog.put(subject, record.in(new State.Present(refused(begun, isFirst))));
      }
      throw failed;
    }
    OptionalLong bytes = answer.capacityBytes();
    long now = Math.max(bytes.orElse(begun.to().requiredBytes().orElse(0)), size(volume));
    Optional<CapacityRange> owed =
        answer.nodeExpansionRequired() ? Optional.of(owed(begun.to(), now)) : volume.owedToNode();
    return catalog.put(
        subject,
        record.in(
            new State.Present(
                volume.grown(now == 0 ? OptionalLong.empty() : OptionalLong.of(now), owed))));
  }

  private static boolean isUntouched(ControllerException failed) {
    return failed.outcome() == Outcome.UNAVAILABLE;
  }

  private static CatalogVolume refused(State.Growing begun, boolean isFirst) {
    return isFirst ? begun.volume() : maybeGrown(begun);
  }

  /** A call may have come through: then the node is told what is known, which does no harm. */
  static CatalogVolume maybeGrown(State.Growing begun) {
    CatalogVolume volume = begun.volume();
    return volume.grown(
        volume.capacityBytes(),
        volume.owedToNode().or(() -> Optional.of(owed(begun.to(), size(volume)))));
  }

  private static long size(CatalogVolume volume) {
    return volume.capacityBytes().orElse(0);
  }

  private static CapacityRange owed(CapacityRange to, long bytes) {
    return bytes == 0 ? to : CapacityRange.atLeast(bytes);
  }

  /** As it is used now, else the first way in which it may be: as the node calls have it. */
  private VolumeCapability capability(CatalogVolume volume) {
    return claims
        .apply(volume.key())
        .flatMap(claim -> claimed(volume, claim))
        .orElseGet(() -> volume.spec().capabilitiesInFull().iterator().next());
  }

  /** With the mount options of the holder who was first, as it was attached for him. */
  private static Optional<VolumeCapability> claimed(CatalogVolume volume, Claim claim) {
    Optional<MountOptions> options =
        claim.holders().values().stream()
            .min(Comparator.comparingLong(ClaimHolder::epoch))
            .flatMap(ClaimHolder::options);
    return claim
        .use()
        .flatMap(use -> volume.capability(use.mode(), use.attachment()))
        .map(
            own ->
                own.mountOptions().isPresent() && options.isPresent()
                    ? VolumeCapability.mount(own.accessMode(), options.get())
                    : own);
  }

  /** Notes that the node has followed. */
  CatalogVolume settled(VolumeKey key) {
    CatalogEntry record = there(key, "settling what is owed to the node of");
    CatalogVolume volume = record.volume().orElseThrow();
    if (volume.owedToNode().isEmpty() || record.state() instanceof State.Growing) {
      return volume;
    }
    CatalogVolume now = volume.grown(volume.capacityBytes(), Optional.empty());
    catalog.put(
        Subject.of("expanding", VolumeCalls.identity(volume)), record.in(new State.Present(now)));
    return now;
  }

  /** Changes parameters, also of a volume that grows; those that are not named stay as they are. */
  CatalogVolume modify(VolumeKey key, Map<String, String> changes) {
    CatalogEntry record = there(key, "modifying");
    CatalogVolume volume = record.volume().orElseThrow();
    CatalogVolume now = volume.as(volume.spec().modified(changes));
    StepWait.on(controllers.call(calls.modify(volume, changes)));
    State state =
        record.state() instanceof State.Growing growing
            ? new State.Growing(now, growing.to())
            : new State.Present(now);
    catalog.put(
        Subject.of("modifying", VolumeCalls.identity(volume)), record.as(now.spec()).in(state));
    return now;
  }

  /** The record of a volume that is there. */
  CatalogEntry there(VolumeKey key, String doing) {
    Subject subject = Subject.of(doing + " volume '" + key + "'");
    CatalogEntry record =
        catalog
            .find(key)
            .orElseThrow(
                () -> ControllerFailures.refused(OperatorCode.VOLUME_UNKNOWN, subject, ""));
    if (record.state() instanceof State.Deleting) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_BEING_DELETED, subject, "");
    }
    if (record.volume().isEmpty()) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_UNKNOWN, subject, "it is being created, and not there yet");
    }
    return record;
  }
}
