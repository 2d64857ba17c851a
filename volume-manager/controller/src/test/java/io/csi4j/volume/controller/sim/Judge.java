package io.csi4j.volume.controller.sim;

import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.controller.sim.StorageSystem.Cut;
import io.csi4j.volume.controller.sim.StorageSystem.Made;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.catalog.SessionRecord;
import io.csi4j.volume.internal.catalog.SessionRecord.Part;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The rules that must hold, whatever happens; and the nodes, which show what was granted. */
final class Judge {

  /** A claim that ended on its node. */
  private record Ended(VolumeUse usage, long epoch) {}

  private final PlaneWorld world;
  private final Map<String, VolumeKey> names = new HashMap<>();
  private final Map<String, VolumeKey> ids = new HashMap<>();
  private final Set<String> deletedNames = new HashSet<>();
  private final Map<VolumeKey, Integer> deletions = new HashMap<>();
  private final Map<VolumeKey, Integer> open = new HashMap<>();
  private final Map<VolumeUse, ClaimGrant> mounted = new TreeMap<>();
  private final Set<Ended> ended = new HashSet<>();
  private final Map<VolumeKey, Integer> ticks = new HashMap<>();
  private final Map<String, VolumeKey> ticking = new HashMap<>();
  private final Map<String, SnapshotId> noted = new TreeMap<>();
  private final Set<String> dropping = new HashSet<>();
  private final Map<String, String> cutNames = new HashMap<>();

  Judge(PlaneWorld world) {
    this.world = world;
  }

  private Optional<CatalogRecord> record(VolumeKey key) {
    return key == null ? Optional.empty() : world.store.volume(key);
  }

  private static String name(CatalogRecord record) {
    return record.entry().name().orElseThrow();
  }

  // ---- records

  /** A record was written. */
  void written(
      VolumeKey key, Optional<CatalogRecord> before, Optional<CatalogRecord> next, String by) {
    world.tell(by + " writes " + key + ": " + next.map(Judge::text).orElse("nothing"));
    next.ifPresent(
        record -> {
          names.put(name(record), key);
          record.entry().id().ifPresent(id -> ids.put(id.value(), key));
        });
    takenOver(key, before, next, by);
    before.ifPresent(was -> cutsAreKnown(was, next));
    if (next.isEmpty()) {
      before.ifPresent(record -> removed(key, record));
      return;
    }
    if (before.filter(was -> was.epoch() > next.get().epoch()).isPresent()) {
      throw world.violation(key + " gets an epoch that is lower than before");
    }
    if (isKept(next.get()) && isMissing(next.get())) {
      throw world.violation(key + " is on record, and its volume is gone");
    }
  }

  private static String text(CatalogRecord record) {
    return record.entry().state().getClass().getSimpleName()
        + " "
        + record.entry().id().map(VolumeId::value).orElse("-")
        + " epoch "
        + record.epoch()
        + record.work().stream()
            .map(work -> " " + work.kind() + " of " + work.owner().controlPlane())
            .findFirst()
            .orElse("");
  }

  private void takenOver(
      VolumeKey key, Optional<CatalogRecord> before, Optional<CatalogRecord> next, String by) {
    for (CatalogWork was : before.map(CatalogRecord::work).orElse(List.of())) {
      boolean isOther = !next.flatMap(it -> it.work(was.part())).equals(Optional.of(was));
      if (isOther && !was.owner().controlPlane().equals(by)) {
        takenOver(key, was, by);
      }
    }
  }

  private void takenOver(VolumeKey key, CatalogWork was, String by) {
    world.count(PlaneWorld.Count.TAKEN_OVER);
    Optional<SessionRecord> session = world.store.session(was.owner());
    Part part = new Part(key, was.part());
    boolean isGivenUp = session.filter(it -> it.givenUp().contains(part)).isPresent();
    if (isGivenUp) {
      world.count(PlaneWorld.Count.GIVEN_UP);
    }
    if (session.isPresent() && !isGivenUp) {
      throw world.violation(by + " takes over " + key + " from " + was + ", whose session lasts");
    }
  }

  /** A session was ended, by its own control plane or by another one. */
  void sessionEnded(CatalogWork.Owner owner, long renewed, String by) {
    long seconds = Duration.ofNanos(world.timeline.now() - renewed).toSeconds();
    if (!owner.controlPlane().equals(by) && seconds < 30) {
      throw world.violation(
          by
              + " ends the session of "
              + owner.controlPlane()
              + " "
              + seconds
              + " s after a renewal");
    }
  }

  /** A session was ended before, and its record is written again. */
  AssertionError sessionBack(CatalogWork.Owner owner) {
    return world.violation("the session of " + owner.controlPlane() + " has ended, and comes back");
  }

  private void removed(VolumeKey key, CatalogRecord record) {
    for (Made made : world.storage.all()) {
      if (made.asked.equals(name(record)) && !made.isLate) {
        throw world.violation("the record of " + key + " is removed, and " + made.id + " is there");
      }
    }
  }

  /** Whether a record says that its volume is there, and stays. */
  private static boolean isKept(CatalogRecord record) {
    State state = record.entry().state();
    return !(state instanceof State.Creating)
        && !(state instanceof State.Deleting)
        && record.work(CatalogWork.VOLUME).filter(it -> it.kind() == Kind.DELETION).isEmpty();
  }

  private boolean isMissing(CatalogRecord record) {
    return record.entry().id().flatMap(world.storage::find).isEmpty();
  }

  // ---- calls

  /** A call for owned work is sent: right after the look at the session. */
  void sent(String by, String name, Optional<VolumeId> id) {
    VolumeKey key = id.map(it -> ids.get(it.value())).orElseGet(() -> names.get(name));
    Optional<CatalogRecord> now = record(key);
    boolean isOwned =
        now.filter(it -> isOwner(it, by)).isPresent()
            && (id.isPresent() ? now.get().entry().id().equals(id) : name(now.get()).equals(name));
    if (!isOwned) {
      throw world.violation(
          by
              + " begins a call for "
              + key
              + ", which is not its work: "
              + now.map(Judge::text).orElse("nothing"));
    }
  }

  /**
   * A volume is made. A former owner may make one again that was deleted since: its call was sent
   * while the work was its own, and no later volume has the name.
   */
  void made(Made made, String by) {
    VolumeKey key = names.get(made.asked);
    Optional<CatalogRecord> now = record(key).filter(it -> name(it).equals(made.asked));
    made.isLate = now.isEmpty() || (deletedNames.contains(made.asked) && !isOwner(now.get(), by));
    if (made.isLate) {
      world.count(PlaneWorld.Count.MADE_LATE);
      return;
    }
    world.count(PlaneWorld.Count.MADE);
    for (Made other : world.storage.all()) {
      if (!other.isLate && key.equals(names.get(other.asked))) {
        throw world.violation(key + " is made twice: " + other.id + " and " + made.id);
      }
    }
  }

  private static boolean isOwner(CatalogRecord record, String plane) {
    return record
        .work(CatalogWork.VOLUME)
        .filter(work -> work.owner().controlPlane().equals(plane))
        .isPresent();
  }

  /** A volume is deleted. */
  void deleted(Made made) {
    deletedNames.add(made.asked);
    VolumeKey key = names.get(made.asked);
    Optional<CatalogRecord> now =
        record(key).filter(it -> it.entry().id().equals(Optional.of(VolumeId.of(made.id))));
    world.count(PlaneWorld.Count.DELETED);
    if (now.filter(it -> !it.entry().pendingSnapshots().isEmpty()).isPresent()) {
      throw world.violation(key + " is deleted, and a snapshot of it is on record");
    }
    if (now.filter(Judge::isKept).isPresent()) {
      throw world.violation(key + " is deleted, and its record keeps it: " + text(now.get()));
    }
    if (now.isPresent() && mounted.keySet().stream().anyMatch(it -> it.volume().equals(key))) {
      throw world.violation(key + " is deleted under a grant: " + mounted.values());
    }
  }

  // ---- snapshots

  /** Returns the name of the snapshot that is due, which all control planes have. */
  String tick(VolumeKey key) {
    String name = key.id() + "-t" + ticks.getOrDefault(key, 0);
    ticking.put(name, key);
    return name;
  }

  /** The next snapshot of a volume is due. */
  void ticks(VolumeKey key) {
    ticks.merge(key, 1, Integer::sum);
  }

  /** Whether the host has noted a snapshot, and keeps it. */
  boolean isNoted(String name) {
    return noted.containsKey(name);
  }

  /** The names of the snapshots of a volume that are on record. */
  List<String> pending(VolumeKey key) {
    return record(key).stream()
        .flatMap(it -> it.entry().pendingSnapshots().stream())
        .map(CatalogEntry.PendingSnapshot::name)
        .toList();
  }

  /** A snapshot is dropped from now on: its name is not used again. */
  void drops(String name) {
    if (dropping.add(name) && tick(ticking.get(name)).equals(name)) {
      ticks(ticking.get(name));
    }
  }

  /** A snapshot that is there, unless a call of a former owner has cut it late. */
  private Optional<Cut> there(String name) {
    for (Cut cut : world.storage.cuts()) {
      if (cut.asked.equals(name) && !cut.isLate) {
        return Optional.of(cut);
      }
    }
    return Optional.empty();
  }

  /** A cut was answered: the host notes it, unless it is dropped. */
  void cut(String name, SnapshotId id) {
    if (dropping.contains(name)) {
      return;
    }
    SnapshotId before = noted.putIfAbsent(name, id);
    if (before != null && !before.equals(id)) {
      throw world.violation(name + " is cut as " + id + ", and was " + before);
    }
    if (world.storage.find(id).isEmpty()) {
      throw world.violation(name + " was acknowledged as " + id + ", and is lost");
    }
  }

  /** A call for a snapshot is sent: right after the look at the session. */
  void sentCut(String by, String name) {
    VolumeKey key = ticking.get(name);
    Optional<CatalogRecord> now = record(key);
    if (!isOwner(now, name, by)) {
      throw world.violation(
          by
              + " begins a call for "
              + name
              + ", which is not its work: "
              + now.map(Judge::text).orElse("nothing"));
    }
  }

  /** The same for a deletion. */
  void sentDeletion(String by, SnapshotId id) {
    sentCut(by, cutNames.get(id.value()));
  }

  private static boolean isOwner(Optional<CatalogRecord> record, String name, String plane) {
    return record
        .flatMap(it -> it.work("snapshot " + name))
        .filter(work -> work.owner().controlPlane().equals(plane))
        .isPresent();
  }

  private static boolean isOnRecord(CatalogRecord record, String name) {
    return record.entry().pendingSnapshots().stream().anyMatch(it -> it.name().equals(name));
  }

  /** A snapshot is cut. A former owner may cut one again that is dropped. */
  void cut(Cut cut, String by) {
    cutNames.put(cut.id, cut.asked);
    Optional<CatalogRecord> now = record(ticking.get(cut.asked));
    cut.isLate = dropping.contains(cut.asked) && !isOwner(now, cut.asked, by);
    if (cut.isLate) {
      return;
    }
    world.count(PlaneWorld.Count.SNAPSHOTS);
    if (now.filter(it -> isOnRecord(it, cut.asked)).isEmpty()) {
      throw world.violation(cut.asked + " is cut as " + cut.id + ", and is not on record");
    }
    there(cut.asked)
        .ifPresent(
            other -> {
              throw world.violation(cut.asked + " is cut twice: " + other.id + " and " + cut.id);
            });
  }

  /** A snapshot is deleted. */
  void cutDeleted(Cut cut) {
    if (SnapshotId.of(cut.id).equals(noted.get(cut.asked))) {
      throw world.violation(cut.id + " of " + cut.asked + " is deleted, and its host keeps it");
    }
  }

  /** What is taken off the record is gone, or the host has noted it. */
  private void cutsAreKnown(CatalogRecord before, Optional<CatalogRecord> next) {
    for (CatalogEntry.PendingSnapshot each : before.entry().pendingSnapshots()) {
      boolean isOff = next.filter(it -> isOnRecord(it, each.name())).isEmpty();
      if (isOff && !isNoted(each.name()) && there(each.name()).isPresent()) {
        throw world.violation(
            each.name()
                + " is taken off the record, and "
                + there(each.name()).get().id
                + " is there");
      }
    }
  }

  // ---- answers

  /** A deletion is asked for. A volume that is made after it has other snapshots. */
  void deletes(VolumeKey key) {
    ticks(key);
    deletions.merge(key, 1, Integer::sum);
    open.merge(key, 1, Integer::sum);
  }

  /** A deletion was answered. */
  void deletionEnded(VolumeKey key) {
    open.merge(key, -1, Integer::sum);
  }

  /** Returns what a creation has to hand in when it is answered. */
  int before(VolumeKey key) {
    return open.getOrDefault(key, 0) > 0 ? -1 : deletions.getOrDefault(key, 0);
  }

  /** A creation was answered. */
  void acknowledged(VolumeKey key, VolumeId id, int before) {
    world.count(PlaneWorld.Count.ACKNOWLEDGED);
    Optional<CatalogEntry> entry = record(key).map(CatalogRecord::entry);
    boolean isOnRecord = entry.flatMap(CatalogEntry::id).equals(Optional.of(id));
    boolean mayBeDeleted = before < 0 || before != deletions.getOrDefault(key, 0);
    if (!mayBeDeleted && (!isOnRecord || world.storage.find(id).isEmpty())) {
      throw world.violation(key + " was acknowledged as " + id + ", and is lost: " + entry);
    }
  }

  /** Growing was answered. */
  void grown(VolumeKey key, VolumeId id, long size) {
    world.count(PlaneWorld.Count.GROWN);
    if (world.storage.find(id).filter(it -> it.size < size).isPresent()) {
      throw world.violation(key + " is said to have grown to " + size);
    }
  }

  // ---- nodes

  /** A node mounts a volume, unless the claim has ended there. */
  void granted(ClaimGrant grant) {
    world.count(PlaneWorld.Count.GRANTED);
    if (ended.contains(new Ended(grant.usage(), grant.epoch()))) {
      return;
    }
    VolumeKey key = grant.usage().volume();
    for (ClaimGrant other : mounted.values()) {
      if (other.usage().volume().equals(key) && !other.node().equals(grant.node())) {
        throw world.violation(key + " is granted twice: " + other + " and " + grant);
      }
    }
    if (record(key).filter(it -> !isMissing(it)).isEmpty()) {
      throw world.violation(key + " is granted, and is gone: " + grant);
    }
    mounted.put(grant.usage(), grant);
  }

  /** A node ends a claim; returns whether it still uses the volume for another one. */
  boolean isUsedAfter(VolumeUse usage, ClaimHolder holder) {
    ended.add(new Ended(usage, holder.epoch()));
    ClaimGrant there = mounted.get(usage);
    if (there != null && there.epoch() <= holder.epoch()) {
      mounted.remove(usage);
    }
    NodeName node = holder.node();
    return mounted.values().stream()
        .anyMatch(it -> it.usage().volume().equals(usage.volume()) && it.node().equals(node));
  }

  /**
   * A person answers for a volume that a late call may have attached, and that is deleted. The
   * storage system deletes no attached volume, so the call found none.
   */
  void answeredFor(VolumeKey key, NodeName node) {
    for (Made made : world.storage.all()) {
      if (key.equals(names.get(made.asked)) && made.attached.contains(node.value())) {
        throw world.violation(made.id + " of " + key + " is attached, and no record names it");
      }
    }
  }

  // ---- the end

  /** All work has come to its end by itself. */
  void quiet() {
    for (VolumeKey key : world.keys) {
      Optional<CatalogRecord> now = record(key);
      if (now.filter(it -> it.entry().state() instanceof State.Deleting).isPresent()) {
        throw world.violation("a deletion is left: " + text(now.get()));
      }
      if (now.filter(it -> it.entry().state() instanceof State.Growing).isPresent()) {
        throw world.violation("a change of size is left: " + text(now.get()));
      }
      if (now.filter(it -> isKept(it) && isMissing(it)).isPresent()) {
        throw world.violation(key + " is lost: " + text(now.get()));
      }
      if (world.store.claim(key).holder(Claim.DELETION).isPresent()) {
        throw world.violation(key + " is held for its deletion for ever");
      }
    }
    for (Made made : world.storage.all()) {
      if (!made.isLate
          && record(names.get(made.asked)).filter(it -> name(it).equals(made.asked)).isEmpty()) {
        throw world.violation(made.id + " is of no record");
      }
    }
  }

  /** All volumes were deleted. */
  void empty() {
    for (VolumeKey key : world.keys) {
      if (record(key).isPresent()) {
        throw world.violation(key + " cannot be deleted: " + text(record(key).get()));
      }
      if (!world.store.claim(key).holders().isEmpty()) {
        throw world.violation("a claim is left: " + world.store.claim(key));
      }
    }
    for (Made made : world.storage.all()) {
      if (!made.isLate) {
        throw world.violation(made.id + " is left at the storage system");
      }
    }
    for (Cut cut : world.storage.cuts()) {
      if (!cut.isLate && !isNoted(cut.asked)) {
        throw world.violation(cut.id + " of " + cut.asked + " is left at the storage system");
      }
    }
    noted.forEach(
        (name, id) -> {
          if (world.storage.find(id).isEmpty()) {
            throw world.violation(name + " is lost: " + id);
          }
        });
  }
}
