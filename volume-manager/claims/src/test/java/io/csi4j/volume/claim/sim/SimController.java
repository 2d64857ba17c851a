package io.csi4j.volume.claim.sim;

import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** How a process speaks to the storage system: one call for a volume at a time. */
final class SimController implements StorageController {

  private final World world;
  private final World.Member process;
  private final Set<VolumeKey> busy = new TreeSet<>();

  SimController(World world, World.Member process) {
    this.world = world;
    this.process = process;
  }

  @Override
  public boolean attaches(VolumeKey volume) {
    return world.volumes.get(volume).attaches();
  }

  @Override
  public ControllerAnswer attach(AttachmentTask task, Guard guard) {
    return call(task, guard, true);
  }

  @Override
  public ControllerAnswer detach(AttachmentTask task, Guard guard) {
    return call(task, guard, false);
  }

  private ControllerAnswer call(AttachmentTask task, Guard guard, boolean attaches) {
    world.turns().waitUntil(() -> !busy.contains(task.volume()));
    busy.add(task.volume());
    try {
      if (!guard.isWanted()) {
        return new ControllerAnswer.NotSent();
      }
      world.standStill();
      ControllerAnswer answer = sent(task, attaches);
      world.standStill();
      return answer;
    } finally {
      busy.remove(task.volume());
    }
  }

  private ControllerAnswer sent(AttachmentTask task, boolean attaches) {
    int fate = world.happens(0.12) ? 1 + world.pick(6) : 0;
    if (fate == 1) {
      return SimStorage.failed(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
    }
    if (fate == 2) {
      return SimStorage.failed(
          attaches ? StatusCode.RESOURCE_EXHAUSTED : StatusCode.INTERNAL, Outcome.SETTLED);
    }
    // A storage system that is still at the volume says so, and neither that it does not know it
    // nor that it refuses it.
    if (fate == 3
        && !world.storage.isBusy(task.volume())
        && world.storage.at(task.volume(), task.nodeId()).isEmpty()) {
      return SimStorage.failed(
          attaches ? StatusCode.PERMISSION_DENIED : StatusCode.NOT_FOUND, Outcome.SETTLED);
    }
    if (fate == 4 && !world.storage.open.containsKey(task.volume())) {
      world.storage.open.put(
          task.volume(), new SimStorage.Open(task, attaches, process.lastLook(task.volume())));
      return SimStorage.failed(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
    }
    ControllerAnswer answer = apply(task, attaches);
    if (fate == 5) {
      answer = apply(task, attaches);
    }
    world.turns().effect();
    return fate == 6 ? SimStorage.failed(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN) : answer;
  }

  private ControllerAnswer apply(AttachmentTask task, boolean attaches) {
    SimStore.Look seen = process.lastLook(task.volume());
    if (attaches) {
      ControllerAnswer answer = world.storage.apply(task, true);
      if (answer instanceof ControllerAnswer.Attached) {
        world.count(World.Count.ATTACHED);
        world.tell(process.name + " attached " + task.volume() + " to " + task.nodeId());
        judgeAttached(world, task);
      }
      return answer;
    }
    if (!world.storage.open.containsKey(task.volume())) {
      judgeDetached(world, task, seen);
    }
    ControllerAnswer answer = world.storage.apply(task, false);
    if (answer instanceof ControllerAnswer.Detached) {
      world.count(World.Count.DETACHED);
      world.tell(process.name + " detached " + task.volume() + " from " + task.nodeId());
    }
    return answer;
  }

  /** Deletes a volume, without a word of who has it: that was to be seen to before. */
  ControllerAnswer delete(VolumeKey volume, long id) {
    world.turns().waitUntil(() -> !busy.contains(volume));
    busy.add(volume);
    try {
      world.standStill();
      int fate = world.happens(0.3) ? 1 + world.pick(4) : 0;
      if (fate == 1) {
        return SimStorage.failed(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
      }
      if (fate == 2 && !world.storage.isBusy(volume) && world.storage.has(volume, id)) {
        return SimStorage.failed(StatusCode.FAILED_PRECONDITION, Outcome.SETTLED);
      }
      if (fate == 3 && !world.storage.isBusy(volume)) {
        world.storage.deleting.put(volume, id);
        return SimStorage.failed(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
      }
      ControllerAnswer answer = deleted(world, volume, id);
      world.standStill();
      return fate == 4
          ? SimStorage.failed(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN)
          : answer;
    } finally {
      busy.remove(volume);
    }
  }

  /** Whether the storage system keeps the volume, as it surely has it still. */
  static boolean isRefusal(ControllerAnswer.Failed failed) {
    return failed.code() == StatusCode.FAILED_PRECONDITION;
  }

  static ControllerAnswer deleted(World world, VolumeKey volume, long id) {
    if (!world.storage.isBusy(volume) && world.storage.has(volume, id)) {
      judgeDeleted(world, volume);
    }
    ControllerAnswer answer = world.storage.delete(volume, id);
    world.tell("the deletion of " + volume + " as " + id + " comes to " + answer);
    return answer;
  }

  /** Nothing is deleted that somebody has, or may have in a moment. */
  private static void judgeDeleted(World world, VolumeKey volume) {
    for (SimNode node : world.nodes) {
      if (node.uses(volume, false)) {
        throw world.violation(volume + " is deleted while it is mounted on " + node.process.name);
      }
    }
    // What was attached too late is owed by nobody who uses it; the storage system knows it itself.
    List<ClaimHolder> claimants =
        world.store.truth(volume).others(Claim.DELETION).stream()
            .filter(it -> !it.workload().value().startsWith("left-attached-"))
            .toList();
    // A store that went back shows claims that have gone since.
    if (!claimants.isEmpty() && !world.chaos.isRestored()) {
      throw world.violation(volume + " is deleted under " + claimants);
    }
  }

  /** Nothing is attached that nobody owes to detach; unless a process stood still. */
  static void judgeAttached(World world, AttachmentTask task) {
    Claim truth = world.store.truth(task.volume());
    if (holders(truth, task).noneMatch(it -> !it.state().isAfter(ClaimHolder.State.UNPUBLISHING))) {
      world.count(World.Count.LATE_ATTACH);
      world.storage.late.put(SimStorage.place(task), truth.epoch());
      if (!world.isOvertaken()
          && holders(truth, task).noneMatch(it -> it.state() == ClaimHolder.State.NODE_DETACHED)) {
        throw world.violation(task + " was attached for nobody");
      }
    }
  }

  /** Who has the volume through that attachment. */
  private static java.util.stream.Stream<ClaimHolder> holders(Claim claim, AttachmentTask task) {
    return claim.holders().values().stream()
        .filter(it -> it.nodeId().filter(task.nodeId()::equals).isPresent())
        .filter(it -> !(it.attachment() instanceof ClaimHolder.Attachment.NotNeeded));
  }

  /** What was attached for a claim that had gone is owed by somebody as soon as that is told. */
  static void judgeOwed(World world, SimStorage.Place place) {
    Claim truth = world.store.truth(place.volume());
    boolean isLost = world.chaos.isRestored();
    if (!world.isCalm()
        && !isLost
        && truth.holders().values().stream()
            .filter(it -> it.nodeId().filter(place.node()::equals).isPresent())
            .allMatch(it -> it.attachment() instanceof ClaimHolder.Attachment.NotNeeded)) {
      throw world.violation(place + " is attached, and nobody owes that it is detached");
    }
  }

  /**
   * Nothing is taken away that somebody has. A caller that looked before the store went back is
   * judged by the claims that were lost by that: the restored ones may name again what another
   * process has ended since.
   */
  static void judgeDetached(World world, AttachmentTask task, SimStore.Look look) {
    Claim seen = look.claim();
    Claim truth = world.store.truth(task.volume(), look);
    List<ClaimHolder> asked =
        holders(seen, task).filter(it -> it.state() == ClaimHolder.State.NODE_DETACHED).toList();
    boolean isOwed = asked.stream().anyMatch(it -> is(truth, it.workload(), it));
    List<ClaimHolder> inUse =
        holders(truth, task)
            .filter(it -> !it.state().isAfter(ClaimHolder.State.UNPUBLISHING))
            .toList();
    // A person may have answered for a storage system that was still at it.
    boolean isAnsweredFor =
        truth.overrides().stream()
            .anyMatch(answer -> asked.stream().anyMatch(it -> it.epoch() == answer.epoch()));
    boolean isLate =
        !asked.isEmpty()
            && !isOwed
            && (world.coordinators.size() > 1
                || isAnsweredFor
                || world.store.isOvertakenLate(task.volume(), look));
    if (!inUse.isEmpty() && !isLate) {
      throw world.violation(task + " is detached under " + inUse + " by one who saw " + seen);
    }
    if (!inUse.isEmpty()) {
      world.count(World.Count.LATE_DETACH);
      return;
    }
    SimStorage.Place place = SimStorage.place(task);
    if (!isLate
        && !world.takenAway.contains(place)
        && world.nodes.stream()
            .filter(it -> World.idOf(it.process.name).equals(task.nodeId()))
            .anyMatch(it -> it.uses(task.volume(), false))) {
      throw world.violation(task + " is detached while it is mounted");
    }
    world.takenAway.remove(place);
  }

  private static boolean is(Claim truth, WorkloadId workload, ClaimHolder asked) {
    return truth
        .holder(workload)
        .filter(it -> it.epoch() == asked.epoch() && it.state() == ClaimHolder.State.NODE_DETACHED)
        .isPresent();
  }
}
