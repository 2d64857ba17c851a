package io.csi4j.volume.claim.sim;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.NodeReceipt.Staging;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A node: it confirms the epoch of a claim before it mounts, and closes an epoch before it gives a
 * receipt for it. Mounts outlive its process; what is closed outlives the machine.
 */
final class SimNode {

  /** A claim that was given to it. */
  record Use(VolumeUse usage, long epoch) {}

  /** A mount; of which attachment, where it is one. */
  record Mounted(long epoch, boolean writable, long attachment) {}

  final World world;
  final World.Member process;
  final Deque<ClaimGrant> inbox = new ArrayDeque<>();
  final Map<VolumeUse, Mounted> mounts = new TreeMap<>();
  final Set<Use> known = new HashSet<>();
  final Set<Use> closed = new HashSet<>();
  final Set<Use> overridden = new HashSet<>();
  final Set<VolumeKey> fenced = new TreeSet<>();
  final List<Turns.Actor> workers = new ArrayList<>();
  final Map<VolumeUse, ClaimGrant> last = new HashMap<>();

  SimNode(World world, String name) {
    this.world = world;
    this.process = world.new Member(name, false);
  }

  Turns.Actor worker() {
    Turns.Actor worker =
        new Turns.Actor() {
          @Override
          void act() {
            try {
              operate();
            } catch (ClaimException refused) {
              world.tell(process.name + " is told " + refused.code());
            }
          }
        };
    workers.add(worker);
    return worker;
  }

  private void operate() {
    switch (world.pick(8)) {
      case 0, 1, 2 -> mount();
      case 3 -> unmountSome();
      case 4 -> contact();
      default -> answerWhatIsAsked();
    }
  }

  private void mount() {
    ClaimGrant grant = inbox.poll();
    if (grant == null) {
      return;
    }
    if (world.happens(0.05)) {
      inbox.add(grant);
    }
    Use use = new Use(grant.usage(), grant.epoch());
    if (closed.contains(use)) {
      return;
    }
    known.add(use);
    if (world.defect != Defect.EPOCH_NOT_CONFIRMED
        && !(process.book.standing(grant.usage(), grant.epoch())
            instanceof ClaimStanding.Current)) {
      world.tell(process.name + " refuses stale " + use);
      return;
    }
    world.standStill();
    if (closed.contains(use) && world.defect != Defect.RECEIPT_LEAVES_EPOCH_OPEN) {
      return;
    }
    VolumeKey volume = grant.usage().volume();
    boolean attaches = world.volumes.get(volume).attaches();
    Optional<SimStorage.Made> there = world.storage.at(volume, World.idOf(process.name));
    boolean isGone = !world.storage.volumes.containsKey(volume);
    if (isGone || fenced.contains(volume) || (attaches && there.isEmpty())) {
      return;
    }
    boolean writes =
        grant.mode() == ClaimMode.WRITE && there.filter(SimStorage.Made::readonly).isEmpty();
    mounts.put(
        grant.usage(),
        new Mounted(grant.epoch(), writes, there.map(SimStorage.Made::generation).orElse(0L)));
    last.put(grant.usage(), grant);
    world.tell(process.name + " mounts " + use + (writes ? " for writing" : ""));
    world.look();
  }

  private void unmountSome() {
    if (mounts.isEmpty()) {
      return;
    }
    List<VolumeUse> all = new ArrayList<>(mounts.keySet());
    VolumeUse usage = all.get(world.pick(all.size()));
    long epoch = mounts.get(usage).epoch();
    if (isOver(process.book.standing(usage, epoch))) {
      giveBack(new Use(usage, epoch));
    }
  }

  /** Looks at all that it has, and gives back what is over. */
  void contact() {
    Set<Use> all = new HashSet<>(known);
    mounts.forEach((usage, it) -> all.add(new Use(usage, it.epoch())));
    List<Use> sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparing(Use::usage).thenComparing(Use::epoch));
    for (Use use : sorted) {
      boolean stale =
          process.book.standing(use.usage(), use.epoch()) instanceof ClaimStanding.Stale;
      if (stale && closed.add(use)) {
        world.tell(process.name + " finds " + use + " stale");
      }
      if (closed.contains(use)) {
        unmount(use);
      }
    }
    fenced.removeIf(
        volume ->
            mounts.keySet().stream().noneMatch(it -> it.volume().equals(volume))
                && known.stream().noneMatch(it -> it.usage().volume().equals(volume)));
  }

  private void unmount(Use use) {
    Mounted mounted = mounts.get(use.usage());
    if (mounted != null && mounted.epoch() == use.epoch()) {
      mounts.remove(use.usage());
    }
    known.remove(use);
    overridden.remove(use);
  }

  private boolean isOver(ClaimStanding standing) {
    return standing instanceof ClaimStanding.Leaving || standing instanceof ClaimStanding.Stale;
  }

  /** Receipts for claims of this node that are on their way back, known here or not. */
  void answerWhatIsAsked() {
    List<VolumeKey> asked = new ArrayList<>();
    for (Claim claim : world.store.all()) {
      boolean isOnItsWay =
          world.mail.stream().anyMatch(it -> it.usage().volume().equals(claim.volume()));
      if ((!isOnItsWay || world.pick(4) == 0)
          && claim.holders().values().stream().anyMatch(this::isAsked)) {
        asked.add(claim.volume());
      }
    }
    if (!asked.isEmpty()) {
      answerFor(asked.get(world.pick(asked.size())));
    }
  }

  void answerFor(VolumeKey volume) {
    for (ClaimHolder holder : process.book.read(volume).holders().values()) {
      if (isAsked(holder)) {
        giveBack(new Use(VolumeUse.of(volume, holder.workload()), holder.epoch()));
      }
    }
  }

  private boolean isAsked(ClaimHolder holder) {
    return holder.node().equals(process.name) && holder.state() == ClaimHolder.State.UNPUBLISHING;
  }

  private void giveBack(Use use) {
    closed.add(use);
    unmount(use);
    Mounted other = mounts.get(use.usage());
    if (other != null && other.epoch() < use.epoch()) {
      // An older use of the same workload is still there, and over.
      closed.add(new Use(use.usage(), other.epoch()));
      unmount(new Use(use.usage(), other.epoch()));
    }
    boolean kept =
        mounts.keySet().stream().anyMatch(it -> it.volume().equals(use.usage().volume()));
    NodeReceipt receipt =
        new NodeReceipt(
            use.usage(),
            use.epoch(),
            process.name,
            "boot",
            List.of(Path.of("/t")),
            kept ? Staging.KEPT_FOR_OTHERS : Staging.GONE);
    world.tell(process.name + " gives a receipt for " + use + " " + receipt.staging());
    world.count(World.Count.RECEIPTS);
    world.turns().effect();
    world.mail.add(receipt);
    if (world.happens(0.3)) {
      world.mail.add(receipt);
    }
  }

  /** Whether something of the volume is mounted here that reaches the storage. */
  boolean uses(VolumeKey volume, boolean onlyWriters) {
    if (fenced.contains(volume)) {
      return false;
    }
    boolean attaches = world.volumes.get(volume).attaches();
    long attachment =
        world
            .storage
            .at(volume, World.idOf(process.name))
            .map(SimStorage.Made::generation)
            .orElse(0L);
    return mounts.entrySet().stream()
        .filter(it -> it.getKey().volume().equals(volume))
        .filter(it -> !overridden.contains(new Use(it.getKey(), it.getValue().epoch())))
        .filter(it -> !onlyWriters || it.getValue().writable())
        .anyMatch(it -> !attaches || (attachment != 0 && it.getValue().attachment() == attachment));
  }

  /** The machine loses its power and comes back. */
  void reboot() {
    workers.forEach(world.turns()::kill);
    mounts.clear();
    overridden.clear();
    process.begin();
  }

  void killed() {
    workers.forEach(world.turns()::kill);
    process.begin();
  }

  /** Unmounts everything, for a person who starts anew. */
  void clear() {
    workers.forEach(world.turns()::kill);
    mounts.clear();
    inbox.clear();
    known.clear();
    closed.clear();
    overridden.clear();
    fenced.clear();
    process.begin();
  }

  @Override
  public String toString() {
    return process.name + ": " + mounts + " fenced " + fenced + " overridden " + overridden;
  }
}
