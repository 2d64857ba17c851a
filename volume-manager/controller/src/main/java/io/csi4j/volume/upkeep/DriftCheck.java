package io.csi4j.volume.upkeep;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.NodeAttachment;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Compares what a storage system tells of volumes with their claims. Nothing is changed by looking;
 * what a policy allows is put right only after a second look. Methods block as long as the plugin
 * and the store do.
 */
public final class DriftCheck {

  private final StoredAttachments storage;
  private final ClaimStore claims;

  /** Between this plugin and these claims. */
  public DriftCheck(StoredAttachments storage, ClaimStore claims) {
    this.storage = Objects.requireNonNull(storage, "storage");
    this.claims = Objects.requireNonNull(claims, "claims");
  }

  /**
   * Looks at these volumes.
   *
   * @param volumes the volumes of this plugin that the host knows; others are none of its business
   * @throws io.csi4j.client.model.CsiException if the plugin does not tell all; or {@link
   *     io.csi4j.volume.controller.ControllerException}, where a controller was to ask it
   * @throws io.csi4j.volume.claim.spi.ClaimStoreException if the store does not
   */
  public DriftReport look(Map<VolumeId, VolumeKey> volumes) {
    Map<VolumeId, Versioned> before = new TreeMap<>(Comparator.comparing(VolumeId::value));
    volumes.forEach((handle, key) -> before.put(handle, claims.read(key)));
    Map<VolumeId, VolumeEntry> seen = seen(before.keySet());
    List<Drift> findings = new ArrayList<>();
    before.forEach(
        (handle, claim) -> {
          VolumeEntry entry = seen.get(handle);
          if (entry != null) {
            findings.addAll(confirmed(handle, claim, entry));
          }
        });
    return new DriftReport(findings, seen.size(), before.size() - seen.size());
  }

  /**
   * Puts right what the policy allows, each after another look: what has gone by itself, or is
   * otherwise by now, is left alone.
   *
   * @return what was put right
   */
  public List<Drift> repair(DriftReport report, DriftPolicy policy, DriftRepair repair) {
    List<Drift> repaired = new ArrayList<>();
    for (Drift drift : report.findings()) {
      if (policy.allows(drift) && isStillSo(drift) && isRepaired(drift, repair)) {
        repaired.add(drift);
      }
    }
    return repaired;
  }

  private static boolean isRepaired(Drift drift, DriftRepair repair) {
    if (drift instanceof Drift.LostAttachment lost) {
      return repair.attachAgain(lost);
    }
    return drift instanceof Drift.UnknownAttachment unknown && repair.detach(unknown);
  }

  private boolean isStillSo(Drift drift) {
    return look(Map.of(drift.handle(), drift.volume())).findings().contains(drift);
  }

  private boolean offers(ControllerCapability capability) {
    return storage.offered().contains(capability);
  }

  private Map<VolumeId, VolumeEntry> seen(Set<VolumeId> known) {
    if (offers(ControllerCapability.LIST_VOLUMES) && known.size() > 1) {
      return listed(known);
    }
    Map<VolumeId, VolumeEntry> seen = new HashMap<>();
    known.forEach(handle -> read(handle).ifPresent(entry -> seen.put(handle, entry)));
    return seen;
  }

  private Map<VolumeId, VolumeEntry> listed(Set<VolumeId> known) {
    Map<VolumeId, VolumeEntry> seen = new HashMap<>();
    for (VolumeEntry entry : storage.list()) {
      if (known.contains(entry.volume().id())) {
        seen.put(entry.volume().id(), entry);
      }
    }
    return seen;
  }

  /** One volume: asked for by name where that is offered, and looked for in the list elsewhere. */
  private Optional<VolumeEntry> read(VolumeId handle) {
    if (offers(ControllerCapability.GET_VOLUME)) {
      return storage.read(handle);
    }
    return offers(ControllerCapability.LIST_VOLUMES)
        ? Optional.ofNullable(listed(Set.of(handle)).get(handle))
        : Optional.empty();
  }

  /** Returns the differences that are there before and after, while the claim has not changed. */
  private List<Drift> confirmed(VolumeId handle, Versioned before, VolumeEntry entry) {
    List<Drift> first = differences(handle, before.claim(), entry);
    if (first.isEmpty()) {
      return first;
    }
    Optional<VolumeEntry> again =
        offers(ControllerCapability.GET_VOLUME) ? storage.read(handle) : Optional.of(entry);
    Versioned now = claims.read(before.claim().volume());
    if (again.isEmpty() || !now.version().equals(before.version())) {
      return List.of();
    }
    Predicate<Drift> isStillThere = differences(handle, now.claim(), again.get())::contains;
    return first.stream().filter(isStillThere).toList();
  }

  /** In what a volume of the storage system differs from its claim. */
  private List<Drift> differences(VolumeId handle, Claim claim, VolumeEntry entry) {
    List<Drift> found = new ArrayList<>();
    if (offers(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES)) {
      attachments(claim, handle, Set.copyOf(entry.publishedNodes()), found);
    }
    entry
        .condition()
        .filter(condition -> condition.abnormal())
        .ifPresent(
            condition -> found.add(new Drift.AbnormalVolume(claim.volume(), handle, condition)));
    return found;
  }

  private static void attachments(
      Claim claim, VolumeId handle, Set<NodeId> attached, List<Drift> found) {
    Set<NodeId> claimed = new HashSet<>();
    for (ClaimHolder holder : claim.holders().values()) {
      if (holder.nodeId().isEmpty() || !mayBeAttached(holder)) {
        continue;
      }
      claimed.add(holder.nodeId().get());
      if (hasToBe(holder) && !attached.contains(holder.nodeId().get())) {
        found.add(new Drift.LostAttachment(claim.volume(), handle, holder));
      }
    }
    Set<NodeId> unknown = new TreeSet<>((one, other) -> one.value().compareTo(other.value()));
    unknown.addAll(attached);
    unknown.removeAll(claimed);
    unknown.forEach(node -> found.add(new Drift.UnknownAttachment(claim.volume(), handle, node)));
  }

  /** Whether it may be attached for a claim: until the storage system has said that it is not. */
  private static boolean mayBeAttached(ClaimHolder holder) {
    return !(holder.attachment() instanceof NodeAttachment.NotNeeded)
        && !holder.state().isAfter(ClaimState.NODE_DETACHED);
  }

  /** Whether it has to be: from NODE_DETACHED on it is just being detached. */
  private static boolean hasToBe(ClaimHolder holder) {
    return holder.attachment() instanceof NodeAttachment.Attached
        && !holder.state().isAfter(ClaimState.UNPUBLISHING);
  }
}
