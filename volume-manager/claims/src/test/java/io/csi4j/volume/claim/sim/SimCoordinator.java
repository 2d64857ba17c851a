package io.csi4j.volume.claim.sim;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride.Person;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.ReleaseProof.Covers;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A process that coordinates claims, with some threads. */
final class SimCoordinator {

  /** A claim that somebody holds. */
  record Held(VolumeUse usage, ClaimHolder holder) {
    boolean isDeletion() {
      return usage.workload().equals(Claim.DELETION);
    }
  }

  private final World world;
  final World.Member process;
  final List<Turns.Actor> workers = new ArrayList<>();
  private ClaimCoordinator coordinator;
  private SimController controller;
  private final int number;
  private final SimDeleter deleter;

  SimCoordinator(World world, int number, boolean asks) {
    this.world = world;
    this.number = number;
    this.process = world.new Member("c" + number, asks);
    this.controller = new SimController(world, process);
    this.coordinator = new ClaimCoordinator(process.book, controller, world.clock, this::told);
    this.deleter = new SimDeleter(world, this, number);
  }

  SimController controller() {
    return controller;
  }

  private void told(ClaimEvent event) {
    world.tell(process.name + " " + event);
    if (event instanceof ClaimEvent.Freed) {
      world.count(World.Count.FREED);
    } else if (event instanceof ClaimEvent.Noticed noticed
        && noticed.message().code() == OperatorCode.ATTACH_LEFT_OVER) {
      world.count(World.Count.LEFT_OVER);
      world.storage.late.keySet().removeIf(place -> isOf(place, noticed));
      world.storage.attached.keySet().stream()
          .filter(place -> isOf(place, noticed))
          .forEach(place -> SimController.judgeOwed(world, place));
    }
  }

  private static boolean isOf(SimStorage.Place place, ClaimEvent.Noticed noticed) {
    String node = place.node().value().substring("id-".length());
    return place.volume().equals(noticed.usage().volume())
        && noticed.message().seen().text().contains("'" + node + "'");
  }

  void killed() {
    workers.forEach(world.turns()::kill);
    begin();
    if (world.catalog.isOf(number)) {
      world.catalog.opens(world.pick(world.coordinators.size()));
    }
  }

  void begin() {
    process.begin();
    controller = new SimController(world, process);
    coordinator = new ClaimCoordinator(process.book, controller, world.clock, this::told);
  }

  Turns.Actor deleter() {
    workers.add(deleter);
    return deleter;
  }

  /** Brings the deletions to their end, in the place of all others. */
  void endDeletions() {
    world.catalog.opens(number);
    deleter.end();
  }

  Turns.Actor worker() {
    Worker worker = new Worker();
    workers.add(worker);
    return worker;
  }

  /** A thread of it. */
  private final class Worker extends Turns.Actor implements World.Phased {
    private World.Phase phase = World.Phase.none();

    @Override
    public World.Phase phase() {
      return phase;
    }

    @Override
    void act() {
      try {
        operate();
      } catch (ClaimException refused) {
        world.tell(process.name + " is told " + refused.getMessage());
        world.count(
            refused.outcome() == ChangeOutcome.UNCERTAIN
                ? World.Count.UNCERTAIN
                : World.Count.REFUSED);
      } finally {
        phase = World.Phase.none();
      }
    }

    @Override
    void killed() {
      phase = World.Phase.none();
    }

    private void operate() {
      switch (world.pick(16)) {
        case 0, 1, 2, 3 -> acquire(world.wish());
        case 4, 5, 6 -> any().ifPresent(this::release);
        case 7, 8, 9, 10 -> receive();
        case 11 -> any().ifPresent(this::resume);
        case 12 -> any().ifPresent(this::acquireAgain);
        case 13, 14 -> any().ifPresent(this::confirmRelease);
        default -> resumeAll();
      }
    }

    private void acquire(ClaimRequest request) {
      phase = World.Phase.claiming(request);
      ClaimGrant grant = coordinator.acquire(request);
      world.count(World.Count.GRANTS);
      world.standStill();
      world.deliver(grant);
    }

    private void acquireAgain(Held held) {
      Claim claim = world.store.truth(held.usage().volume());
      if (claim.use().isPresent() && !held.isDeletion()) {
        ClaimRequest.Builder wish =
            ClaimRequest.builder(
                held.usage(),
                held.holder().node(),
                claim.use().get(),
                world.pick(5) == 0 ? io.csi4j.volume.model.ClaimMode.WRITE : held.holder().mode());
        held.holder().nodeId().ifPresent(wish::nodeId);
        acquire(wish.build());
      }
    }

    private void release(Held held) {
      phase = World.Phase.returning(held.usage());
      world.tell(process.name + " gets " + coordinator.release(held.usage()));
      if (world.defect == Defect.FORGOTTEN_UNPROVEN) {
        world.store.forget(held.usage());
      }
    }

    private void resume(Held held) {
      phase = World.Phase.returning(held.usage());
      world.tell(process.name + " gets " + coordinator.resume(held.usage()));
    }

    private void resumeAll() {
      if (world.defect == null && world.pick(4) == 0) {
        world.tell(process.name + " gets " + coordinator.resume());
      }
    }

    private void receive() {
      NodeReceipt receipt = world.mail.poll();
      if (receipt == null) {
        return;
      }
      if (world.happens(0.3)) {
        world.mail.add(receipt);
      }
      phase = World.Phase.returning(receipt.usage());
      NodeReceipt handed =
          world.defect == Defect.RECEIPT_OF_ANY_EPOCH
              ? world
                  .store
                  .truth(receipt.usage().volume())
                  .holder(receipt.usage().workload())
                  .map(
                      it ->
                          new NodeReceipt(
                              receipt.usage(),
                              it.epoch(),
                              it.node(),
                              receipt.boot(),
                              receipt.looked(),
                              receipt.staging()))
                  .orElse(receipt)
              : receipt;
      world.tell(process.name + " gets " + coordinator.confirmRelease(handed));
    }

    private void confirmRelease(Held held) {
      ClaimHolder holder = held.holder();
      if (holder.state() == ClaimHolder.State.TAKEN) {
        return;
      }
      phase = World.Phase.returning(held.usage());
      if (held.isDeletion()) {
        world.tell(process.name + " gets " + coordinator.confirmRelease(answer(held)));
        return;
      }
      SimNode node = world.node(holder.node());
      world.tell(process.name + " gets " + coordinator.confirmRelease(proof(held, holder, node)));
    }

    /** A person who takes the holder for a workload whose node is nowhere to be found. */
    private ReleaseProof answer(Held held) {
      return new ReleaseProof.OperatorOverride(
          held.usage(),
          held.holder().epoch(),
          new Person("ann"),
          new ReasonText("the test"),
          Covers.NODE_AND_STORAGE);
    }

    private ReleaseProof proof(Held held, ClaimHolder holder, SimNode node) {
      VolumeUse usage = held.usage();
      ReasonText by = new ReasonText("the test");
      if (world.defect == Defect.SILENCE_IS_PROOF) {
        return new ReleaseProof.PowerOff(usage, holder.epoch(), holder.node(), by);
      }
      boolean attaching = !(holder.attachment() instanceof ClaimHolder.Attachment.NotNeeded);
      switch (world.pick(attaching ? 4 : 3)) {
        case 0 -> {
          world.count(World.Count.FENCES);
          node.fenced.add(usage.volume());
          world.turns().effect();
          return new ReleaseProof.Fenced(usage, holder.epoch(), holder.node(), by);
        }
        case 1 -> {
          world.count(World.Count.POWER_CUTS);
          node.reboot();
          world.turns().effect();
          return new ReleaseProof.PowerOff(usage, holder.epoch(), holder.node(), by);
        }
        case 2 -> {
          world.count(World.Count.OVERRIDES);
          node.overridden.add(new SimNode.Use(usage, holder.epoch()));
          node.known.add(new SimNode.Use(usage, holder.epoch()));
          Covers covers = world.pick(2) == 0 ? Covers.NODE : Covers.NODE_AND_STORAGE;
          if (attaching && covers == Covers.NODE_AND_STORAGE) {
            world.storage.late.put(
                new SimStorage.Place(usage.volume(), holder.nodeId().orElseThrow()),
                holder.epoch());
          }
          return new ReleaseProof.OperatorOverride(
              usage, holder.epoch(), new Person("ann"), by, covers);
        }
        default -> {
          world.count(World.Count.TAKEN_AWAY);
          world.takenAway.add(new SimStorage.Place(usage.volume(), holder.nodeId().orElseThrow()));
          return new ReleaseProof.ByStorage(usage, holder.epoch());
        }
      }
    }

    private Optional<Held> any() {
      List<Held> all = held();
      return all.isEmpty() ? Optional.empty() : Optional.of(all.get(world.pick(all.size())));
    }
  }

  private List<Held> held() {
    List<Held> all = new ArrayList<>();
    for (Claim claim : world.store.all()) {
      for (ClaimHolder holder : claim.holders().values()) {
        all.add(new Held(VolumeUse.of(claim.volume(), holder.workload()), holder));
      }
    }
    return all;
  }

  /** Releases everything, for the end. */
  void end() {
    for (Held held : held()) {
      if (held.isDeletion()) {
        continue;
      }
      world.tell("at the end " + coordinator.release(held.usage()));
    }
    for (VolumeKey volume : world.volumes.keySet()) {
      world.nodes.forEach(node -> node.answerFor(volume));
    }
    world.nodes.forEach(SimNode::contact);
    while (!world.mail.isEmpty()) {
      try {
        world.tell("at the end " + coordinator.confirmRelease(world.mail.poll()));
      } catch (ClaimException unfit) {
        world.tell("at the end " + unfit.getMessage());
      }
    }
    world.tell("at the end " + coordinator.resume());
  }
}
