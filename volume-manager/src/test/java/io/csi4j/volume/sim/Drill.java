package io.csi4j.volume.sim;

import io.csi4j.volume.UsageKey;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;

/** Four operations with few choices, so that all histories can be gone through. */
final class Drill {

  private final World world;
  private final SimHost host;
  private final UsageKey a;
  private final UsageKey b;

  Drill(World world) {
    this.world = world;
    host = world.host();
    Iterator<Wanted> all = host.all().iterator();
    a = all.next().usage();
    b = all.next().usage();
  }

  void run() {
    host.start();
    then(host.mount(a));
    if (world.setup().shared()) {
      then(host.mount(b));
      then(host.unmount(world.choices().choose("who ends", 2) == 0 ? a : b));
    } else {
      if (world.choices().choose("A goes on", 2) == 0) {
        then(host.unmount(a));
      }
      if (world.setup().host() == Setup.Drive.HURRY || !host.desired().contains(a)) {
        then(host.mount(b));
      }
      if (world.setup().host() == Setup.Drive.HURRY
          && world.choices().choose("B goes on", 2) == 1) {
        then(host.unmount(b));
      }
    }
    host.awaitAll();
    host.recover();
    boolean late = world.plugin(Wanted.FAULTY).isWorking();
    switch (world.choices().choose("in the end", late ? 3 : 2)) {
      case 0 -> {}
      case 1 -> {
        Life life = host.life();
        world
            .time()
            .until(() -> life.isDead() || world.findings().isBroken(), Duration.ofMinutes(15));
      }
      default -> {
        for (UsageKey usage : List.copyOf(host.desired())) {
          host.await(host.unmount(usage));
          host.recover();
        }
        world.plugin(Wanted.FAULTY).finishLate();
        host.tell(true);
      }
    }
    host.recover();
    host.epilogue();
  }

  private void then(SimHost.Asked asked) {
    if (world.setup().host() == Setup.Drive.HURRY) {
      int steps = new int[] {0, 9}[world.choices().choose("how soon", 2)];
      for (int step = 0; step < steps && !asked.isDone(); step++) {
        world.time().step();
      }
    } else {
      host.await(asked);
    }
    host.recover();
  }
}
