package io.csi4j.volume.sim;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Many operations in any order, on several volumes, with all kinds of trouble. */
final class Roam {

  private static final Duration[] WAITS = {
    Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(15)
  };

  /** How long a healthy plugin may take, whatever happens to others. */
  private static final Duration PROMPT = Duration.ofSeconds(30);

  private final World world;
  private final SimHost host;
  private final Choices choices;
  private final List<VolumeUse> usages = new ArrayList<>();

  Roam(World world) {
    this.world = world;
    host = world.host();
    choices = world.choices();
    host.all().forEach(it -> usages.add(it.usage()));
  }

  void run() {
    host.start();
    host.recover();
    int steps = 4 + choices.choose("length", 12);
    for (int step = 0; step < steps; step++) {
      act();
      host.recover();
      switch (choices.choose("wait", 3)) {
        case 0 -> host.awaitAll();
        case 1 -> run(choices.choose("steps", 30));
        default -> {}
      }
      host.recover();
    }
    host.epilogue();
  }

  private void run(int steps) {
    for (int step = 0; step < steps && !host.life().isDead(); step++) {
      world.time().step();
    }
  }

  private VolumeUse any() {
    return usages.get(choices.choose("who", usages.size()));
  }

  private void act() {
    if (world.setup().refreshes() && choices.rarely("refreshes", 2, 0.3) == 1) {
      host.refresh(any());
      return;
    }
    switch (choices.choose("act", 4)) {
      case 0, 1 -> host.mount(any());
      case 2 -> host.unmount(any());
      default -> trouble(choices.choose("trouble", 19));
    }
  }

  private void trouble(int kind) {
    switch (kind) {
      case 0 -> pass(WAITS[choices.choose("how long", WAITS.length)]);
      case 1 -> {
        VolumeUse usage = any();
        host.mount(usage);
        host.mount(usage);
      }
      case 2 -> host.asked().stream().reduce((a, b) -> b).ifPresent(this::cancel);
      case 3 -> host.tell(false);
      case 4 ->
          world.time().jumpWall(Duration.ofDays(choices.choose("back", 2) == 0 ? 3650 : -3650));
      case 5 -> world.time().pause(Duration.ofMinutes(10));
      case 6 -> world.plugin(Wanted.FAULTY).finishLate();
      case 7 -> prompt();
      case 8 -> world.crashNow(host.life(), choices.choose("reboot", 2) == 1);
      case 9 -> {
        // Closing takes its time; a host that ends then is one that has crashed.
        Life life = host.life();
        CompletableFuture<?> closed = host.engine().close();
        world.time().until(() -> closed.isDone() || life.isDead(), Duration.ofMinutes(1));
        if (!life.isDead()) {
          world.end(life);
        }
      }
      default -> {
        if (world.takeFault()) {
          fault(kind);
        }
      }
    }
  }

  private void fault(int kind) {
    SimPlugin faulty = world.plugin(Wanted.FAULTY);
    switch (kind) {
      case 10 -> {
        List<SimKernel.Mount> mounts = world.kernel().mounts();
        if (!mounts.isEmpty()) {
          host.somebodyUnmounts(mounts.get(choices.choose("which", mounts.size())).path);
        }
      }
      case 11 -> {
        MountPath path =
            choices.choose("where", 2) == 0
                ? world.target(any())
                : world.layout().staging(host.wanted(any()).identity());
        // Between a call and the look at what it did, nobody could tell the two apart.
        if (world.disk().isThere(path.toPath()) && world.isIdle()) {
          world.kernel().mountForeign(path);
          world.usageAt(path).ifPresent(host::lost);
        }
      }
      case 12 -> {
        faulty.restart();
        tell(faulty);
      }
      case 15 -> {
        faulty.unhealthy(true);
        tell(faulty);
        act();
        pass(WAITS[choices.choose("how long", WAITS.length)]);
        faulty.unhealthy(false);
        tell(faulty);
      }
      case 16 -> faulty.forget();
      case 13 -> {
        boolean hung = choices.choose("how", 2) == 0;
        faulty.hang(hung);
        faulty.down(!hung);
        pass(WAITS[choices.choose("how long", WAITS.length)]);
        faulty.hang(false);
        faulty.down(false);
      }
      case 14 -> {
        world.diskFails();
        if (choices.choose("disk", 2) == 0) {
          world.disk().medium().makeReadOnly();
        } else {
          world.disk().medium().leave(0);
        }
        act();
        pass(WAITS[choices.choose("how long", WAITS.length)]);
        world.disk().medium().heal();
      }
      case 17 -> {
        MountPath path = world.layout().staging(host.wanted(any()).identity());
        List<SimKernel.Mount> staged = world.kernel().at(path);
        if (!staged.isEmpty()) {
          world.kernel().mountElsewhere(staged.get(staged.size() - 1).volume);
          act();
          pass(WAITS[choices.choose("how long", WAITS.length)]);
          if (choices.choose("it goes", 2) == 1) {
            world.kernel().removeElsewhere();
          }
        }
      }
      default -> {
        world.kernel().blind(true);
        act();
        pass(WAITS[choices.choose("how long", WAITS.length)]);
        world.kernel().blind(false);
      }
    }
  }

  private void tell(SimPlugin plugin) {
    if (choices.choose("the host is told", 2) == 1) {
      host.plugin(plugin);
    }
  }

  private void pass(Duration time) {
    Life life = host.life();
    world.time().until(() -> life.isDead() || world.findings().isBroken(), time);
  }

  private void cancel(SimHost.Asked asked) {
    if (asked.future() != null) {
      asked.future().cancel(true);
    }
  }

  /** A healthy volume does not wait for another one, whatever that one waits for. */
  private void prompt() {
    host.recover();
    VolumeUse steady = usages.get(usages.size() - 1);
    host.awaitAll();
    host.recover();
    host.mount(usages.get(0));
    SimHost.Asked asked = host.mount(steady);
    world.time().until(() -> asked.isDone() || world.findings().isBroken(), PROMPT);
    if (!asked.isDone()) {
      world.findings().violated("I8", asked + " of a healthy plugin has not ended after " + PROMPT);
    }
  }
}
