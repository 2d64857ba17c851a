package io.csi4j.volume.claim.sim;

import io.csi4j.client.model.Outcome;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.sim.SimCatalog.Entry;
import io.csi4j.volume.claim.sim.SimCatalog.Standing;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Deletes volumes and makes them again, as a controller does that holds their claims meanwhile. It
 * goes on with what the one before it left.
 */
final class SimDeleter extends Turns.Actor implements World.Phased {

  private final World world;
  private final SimCoordinator coordinator;
  private final int number;
  private World.Phase phase = World.Phase.none();

  SimDeleter(World world, SimCoordinator coordinator, int number) {
    this.world = world;
    this.coordinator = coordinator;
    this.number = number;
  }

  @Override
  public World.Phase phase() {
    return phase;
  }

  @Override
  void killed() {
    phase = World.Phase.none();
  }

  @Override
  void act() {
    if (!world.catalog.isOf(number)) {
      return;
    }
    List<VolumeKey> all = new ArrayList<>(world.volumes.keySet());
    handle(all.get(world.pick(all.size())));
  }

  /** Brings to its end what was begun. */
  void end() {
    if (world.defect != Defect.DELETION_IS_NOT_RESUMED) {
      world.volumes.keySet().stream()
          .filter(it -> world.catalog.find(it).filter(SimDeleter::isGoing).isPresent())
          .forEach(this::handle);
    }
  }

  private static boolean isGoing(Entry entry) {
    return entry.standing() == Standing.GOING;
  }

  private void handle(VolumeKey volume) {
    phase = World.Phase.deleting(VolumeUse.of(volume, Claim.DELETION));
    try {
      Optional<Entry> entry = world.catalog.find(volume);
      if (entry.isEmpty()) {
        make(volume);
      } else if (isGoing(entry.get())) {
        if (world.defect != Defect.DELETION_IS_NOT_RESUMED) {
          world.count(World.Count.DELETION_RESUMED);
          finish(volume, new Doomed(entry.get(), hold(volume)));
        }
      } else if (world.pick(3) == 0) {
        doom(volume, entry.get()).ifPresent(doomed -> finish(volume, doomed));
      }
    } catch (ClaimException refused) {
      world.tell(coordinator.process.name + " may not delete: " + refused.getMessage());
    } finally {
      phase = World.Phase.none();
    }
  }

  private void make(VolumeKey volume) {
    long id = world.catalog.newId();
    world.turns().effect();
    world.storage.volumes.put(volume, id);
    world.catalog.put(volume, id, Standing.THERE);
    world.tell(coordinator.process.name + " makes " + volume + " as " + id);
  }

  /**
   * A volume that is being deleted.
   *
   * @param entry its record
   * @param held the epoch of its hold
   */
  private record Doomed(Entry entry, long held) {}

  /** Whoever claims it before it is held finds it as it was. */
  private Optional<Doomed> doom(VolumeKey volume, Entry there) {
    if (isClaimed(volume)) {
      return Optional.empty();
    }
    world.catalog.put(volume, there.id(), Standing.INTENDED);
    world.turns().effect();
    long held;
    try {
      held = hold(volume);
    } catch (ClaimException claimed) {
      boolean isInDoubt = claimed.outcome() == ChangeOutcome.UNCERTAIN;
      world.catalog.put(volume, there.id(), isInDoubt ? Standing.GOING : Standing.THERE);
      throw claimed;
    }
    world.standStill();
    Entry doomed = world.catalog.put(volume, there.id(), Standing.GOING);
    world.turns().effect();
    return Optional.of(new Doomed(doomed, held));
  }

  private boolean isClaimed(VolumeKey volume) {
    return !coordinator.process.book.read(volume).others(Claim.DELETION).isEmpty();
  }

  private long hold(VolumeKey volume) {
    if (world.defect == Defect.DELETION_HOLDS_NOTHING) {
      return 0;
    }
    long epoch = coordinator.process.book.holdForDeletion(volume);
    world.count(World.Count.HELD);
    world.tell(coordinator.process.name + " holds " + volume + " by epoch " + epoch);
    return epoch;
  }

  private void finish(VolumeKey volume, Doomed doomed) {
    Entry entry = doomed.entry();
    long held = doomed.held();
    if (isClaimed(volume)) {
      return;
    }
    ControllerAnswer answer = coordinator.controller().delete(volume, entry.id());
    if (answer instanceof ControllerAnswer.Failed failed) {
      boolean isRefused = SimController.isRefusal(failed);
      boolean isInDoubt = failed.outcome() == Outcome.UNCERTAIN;
      if (isRefused || (isInDoubt && world.defect == Defect.DOUBTED_DELETION_IS_UNDONE)) {
        end(volume, held);
        world.catalog.put(volume, entry.id(), Standing.THERE);
        world.count(World.Count.DELETION_UNDONE);
      }
      return;
    }
    if (world.defect == Defect.HOLD_OUTLIVES_RECORD) {
      world.catalog.forget(volume);
      world.turns().effect();
      end(volume, held);
    } else {
      end(volume, held);
      world.turns().effect();
      world.catalog.forget(volume);
    }
    world.count(World.Count.DELETED);
  }

  private void end(VolumeKey volume, long epoch) {
    coordinator.process.book.endDeletion(volume, epoch);
    world.tell(coordinator.process.name + " holds " + volume + " no more");
  }
}
