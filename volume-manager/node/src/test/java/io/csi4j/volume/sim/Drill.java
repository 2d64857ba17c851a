package io.csi4j.volume.sim;

import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

/** A few operations with few choices, so that all histories can be gone through. */
final class Drill {

  private final World world;
  private final SimHost host;
  private final VolumeUse a;
  private final VolumeUse b;

  /** What comes next: each place where something may end has its own. */
  private final List<Object> progress = new ArrayList<>();

  Drill(World world) {
    this.world = world;
    host = world.host();
    world.follow(progress);
    Iterator<Wanted> all = host.all().iterator();
    a = all.next().usage();
    b = all.next().usage();
  }

  void run() {
    if (world.setup().mends()) {
      mend();
      return;
    }
    if (world.setup().refreshes()) {
      refresh();
      return;
    }
    if (world.setup().inline()) {
      inline();
      return;
    }
    host.start();
    then("first", () -> host.mount(a));
    if (world.setup().host() == Setup.Drive.BRIEF || !world.setup().shared()) {
      if (world.choices().choose("A goes on", 2) == 0) {
        then("second", () -> host.unmount(a));
      }
      if (world.setup().host() != Setup.Drive.BRIEF) {
        another();
      }
    } else {
      then("second", () -> host.mount(b));
      VolumeUse ends = world.choices().choose("who ends", 2) == 0 ? a : b;
      then("third", () -> host.unmount(ends));
    }
    end();
  }

  /** After one workload another one, which cannot have the volume at the same time. */
  private void another() {
    if (world.setup().host() == Setup.Drive.HURRY || !host.desired().contains(a)) {
      then("third", () -> host.mount(b));
    }
    if (world.setup().host() == Setup.Drive.HURRY && world.choices().choose("B goes on", 2) == 1) {
      then("fourth", () -> host.unmount(b));
    }
  }

  /**
   * An inline volume of a workload, or one for each of two; the first ends, and may be wanted again
   * after that, or after it has failed.
   */
  private void inline() {
    boolean isBrief = world.setup().host() == Setup.Drive.BRIEF;
    host.start();
    then("first", () -> host.mount(a));
    if (world.setup().shared()) {
      then("second", () -> host.mount(b));
    }
    if (world.choices().choose("A goes on", 2) == 0) {
      then("third", () -> host.unmount(a));
    }
    if (!isBrief
        && !host.desired().contains(a)
        && world.choices().choose("A comes again", 2) == 0) {
      then("fourth", () -> host.mount(a));
    }
    end();
  }

  /** What one or two workloads have is refreshed, and one of them may end meanwhile. */
  private void refresh() {
    host.start();
    then("first", () -> host.mount(a));
    if (world.setup().shared()) {
      then("second", () -> host.mount(b));
    }
    then("third", () -> host.refresh(a));
    if (world.choices().choose("refreshed once more", 2) == 1) {
      then("once more", () -> host.refresh(a));
    }
    if (world.choices().choose("A goes on", 2) == 0) {
      then("fourth", () -> host.unmount(a));
    }
    end();
  }

  private void end() {
    isAt("all to be awaited");
    host.awaitAll();
    isAt("all awaited");
    host.recover();
    boolean late = world.plugin(Wanted.FAULTY).isWorking();
    int end = world.choices().choose("in the end", late ? 3 : 2);
    isAt("in the end", end);
    switch (end) {
      case 0 -> {}
      case 1 -> {
        Life life = host.life();
        world
            .time()
            .until(() -> life.isDead() || world.findings().isBroken(), Duration.ofMinutes(15));
      }
      default -> {
        List<VolumeUse> wanted = List.copyOf(host.desired());
        for (int at = 0; at < wanted.size(); at++) {
          isAt("to be given up", List.copyOf(wanted.subList(at, wanted.size())));
          host.await(host.unmount(wanted.get(at)));
          isAt("left to be given up", List.copyOf(wanted.subList(at + 1, wanted.size())));
          host.recover();
        }
        isAt("to be told");
        world.plugin(Wanted.FAULTY).finishLate();
        host.tell(true);
      }
    }
    isAt("the end");
    host.recover();
    host.epilogue();
  }

  /** The plugin is in trouble while one or two workloads use the volume. */
  private void mend() {
    SimPlugin faulty = world.plugin(Wanted.FAULTY);
    host.start();
    then("first", () -> host.mount(a));
    if (world.setup().shared()) {
      then("second", () -> host.mount(b));
    }
    int what = world.choices().choose("what happens", 3);
    isAt("trouble", what);
    switch (what) {
      case 0 -> faulty.restart();
      case 1 -> faulty.forget();
      default -> faulty.unhealthy(true);
    }
    host.plugin(faulty);
    int meanwhile = world.choices().choose("meanwhile A ends", 2);
    isAt("trouble goes on", what, meanwhile);
    if (meanwhile == 1) {
      host.unmount(a);
    }
    int wait = world.choices().choose("how long", 3);
    isAt("trouble for some time", what, wait);
    pass(new Duration[] {Duration.ofMinutes(1), Duration.ZERO, Duration.ofMinutes(15)}[wait]);
    faulty.unhealthy(false);
    isAt("well again");
    host.plugin(faulty);
    host.awaitAll();
    host.recover();
    if (!host.desired().contains(b)) {
      then("third", () -> host.mount(b));
    }
    int later = world.choices().choose("later", 2);
    isAt("later", later);
    if (later == 1) {
      pass(Duration.ofMinutes(15));
    }
    isAt("the end");
    host.recover();
    host.epilogue();
  }

  private void pass(Duration time) {
    Life life = host.life();
    if (!time.isZero()) {
      world.time().until(() -> life.isDead() || world.findings().isBroken(), time);
    }
    host.recover();
  }

  /** What comes next after this depends on the world only, and on what is chosen then. */
  private void isAt(Object... place) {
    progress.clear();
    progress.addAll(List.of(place));
  }

  private void then(String place, Supplier<SimHost.Asked> asking) {
    isAt(place);
    SimHost.Asked asked = asking.get();
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
