package io.csi4j.volume.claim.sim;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Everything that goes wrong by itself, and the person who repairs what needs one. */
final class Chaos extends Turns.Actor {

  private final World world;
  private final List<Turns.Actor> others = new ArrayList<>();
  private boolean restored;

  Chaos(World world) {
    this.world = world;
    world.coordinators.forEach(it -> others.addAll(it.workers));
    world.nodes.forEach(it -> others.addAll(it.workers));
  }

  /** Whether the store went back, and nobody has looked yet. */
  boolean isRestored() {
    return restored;
  }

  @Override
  void act() {
    world.pass(Duration.ofSeconds(1 + world.pick(20)));
    switch (restored && world.pick(25) == 0 ? 8 : world.pick(40)) {
      case 0 -> {
        world.count(World.Count.KILLS);
        world.tell("a coordinator is killed");
        world.coordinators.get(world.pick(world.coordinators.size())).killed();
      }
      case 1 -> {
        world.count(World.Count.KILLS);
        world.nodes.get(world.pick(world.nodes.size())).killed();
      }
      case 2, 3, 4 -> cut();
      case 5, 6 -> {
        if (world.pauses) {
          world.count(World.Count.PAUSES);
          world.pass(Duration.ofMinutes(30));
          world.turns().pause(others.get(world.pick(others.size())), 100 + world.pick(1500));
        }
      }
      case 7 -> {
        if (!restored) {
          world.store.backUp();
        }
      }
      case 8 -> restore();
      case 9, 10, 11, 12, 13 -> world.store.deliver();
      case 14, 15 -> tidy();
      default -> endCalls();
    }
  }

  private void cut() {
    List<World.Member> all = new ArrayList<>();
    world.coordinators.forEach(it -> all.add(it.process));
    world.nodes.forEach(it -> all.add(it.process));
    World.Member one = all.get(world.pick(all.size()));
    one.cutOff = !one.cutOff && world.pick(3) == 0;
    if (one.cutOff) {
      world.count(World.Count.CUTS);
    }
  }

  private void restore() {
    if (restored) {
      world.tell("a person starts anew");
      startAnew();
    } else if (world.pick(12) == 0) {
      world.count(World.Count.RESTORES);
      world.tell("the store is restored from a backup");
      world.store.restore();
      restored = true;
      if (world.defect == Defect.ANY_STORE_IS_TRUSTED) {
        world.nodes.forEach(SimNode::killed);
        world.coordinators.forEach(SimCoordinator::killed);
      }
    }
  }

  /** What has to be done before anything is claimed from a store that went back. */
  private void startAnew() {
    world.coordinators.forEach(it -> it.workers.forEach(world.turns()::kill));
    world.mail.clear();
    world.storage.open.clear();
    world.storage.deleting.clear();
    world.storage.attached.clear();
    world.storage.late.clear();
    world.takenAway.clear();
    world.store.clean();
    world.store.backUp();
    world.trustsAnew = true;
    world.nodes.forEach(SimNode::clear);
    world.coordinators.forEach(SimCoordinator::begin);
    world.trustsAnew = false;
    world.catalog.opens(world.pick(world.coordinators.size()));
    restored = false;
  }

  /** Calls that the storage system is still at come to an end. */
  void endCalls() {
    List<SimStorage.Open> all = new ArrayList<>(world.storage.open.values());
    world.storage.open.clear();
    for (SimStorage.Open open : all) {
      if (!open.attaches()) {
        SimController.judgeDetached(world, open.task(), open.seen());
      }
      ControllerAnswer answer = world.storage.apply(open.task(), open.attaches());
      world.tell("late: " + open + " " + answer);
      if (answer instanceof ControllerAnswer.Attached) {
        SimController.judgeAttached(world, open.task());
      }
    }
    Map<VolumeKey, Long> deletions = new TreeMap<>(world.storage.deleting);
    world.storage.deleting.clear();
    deletions.forEach((volume, id) -> SimController.deleted(world, volume, id));
  }

  /** Whoever compares finds attachments that belong to nobody. */
  private void tidy() {
    world
        .storage
        .late
        .keySet()
        .removeIf(
            place -> {
              Claim claim = world.store.truth(place.volume());
              boolean owned =
                  claim.holders().values().stream()
                      .anyMatch(
                          it ->
                              it.nodeId().filter(place.node()::equals).isPresent()
                                  && !(it.attachment()
                                      instanceof ClaimHolder.Attachment.NotNeeded));
              if (!owned) {
                world.storage.attached.remove(place);
              }
              return !owned;
            });
  }

  /** Ends everything, and says what is left. */
  void finish() {
    world.calm = true;
    world.coordinators.forEach(it -> it.process.cutOff = false);
    world.nodes.forEach(it -> it.process.cutOff = false);
    for (int i = 0; i < 100; i++) {
      world.store.deliver();
    }
    endCalls();
    if (restored) {
      startAnew();
    }
    for (int i = 0; i < 4; i++) {
      world.coordinators.get(0).end();
      world.coordinators.get(0).endDeletions();
    }
    if (world.catalog.hasDeletions()) {
      throw world.violation("a deletion is left at the end");
    }
    if (world.store.all().stream().anyMatch(it -> it.holder(Claim.DELETION).isPresent())) {
      throw world.violation("a volume is held for ever for its deletion");
    }
    if (world.store.all().stream().anyMatch(it -> !it.holders().isEmpty())) {
      throw world.violation("claims are left at the end");
    }
    if (world.nodes.stream().anyMatch(it -> !it.mounts.isEmpty())) {
      throw world.violation("mounts are left at the end");
    }
    List<SimStorage.Place> leaked = new ArrayList<>(world.storage.attached.keySet());
    leaked.removeAll(world.storage.late.keySet());
    if (!leaked.isEmpty()) {
      throw world.violation("attachments of nobody are left at the end: " + leaked);
    }
  }
}
