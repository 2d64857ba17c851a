package io.csi4j.volume.functional;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.KernelMounts.ShownDirectory;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.NodePlugins;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.PluginId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One life of an engine's process. When it has ended, nothing that its threads still try has any
 * effect, as with a process that was killed.
 */
final class Incarnation {

  /** Thrown to threads of a process that was killed. */
  static final class Killed extends ThreadDeath {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      return "killed";
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  /** How long what is being done is waited for. */
  static final Duration MOMENT = Duration.ofMillis(300);

  /** What plugins were asked and have not answered, and since when. */
  private final Map<Object, Long> questions = new ConcurrentHashMap<>();

  private final Set<MountPath> silent = ConcurrentHashMap.newKeySet();

  /** The last question about each mount whose server takes its time. */
  private final Map<MountPath, Consumer<Sighting.Health>> slow = new ConcurrentHashMap<>();

  private final AtomicBoolean ended = new AtomicBoolean();

  /** Set last: whoever sees it finds nothing of this life any more. */
  private final AtomicBoolean over = new AtomicBoolean();

  private final AtomicInteger listings = new AtomicInteger();
  private final AtomicReference<CrashPoint> fatal = new AtomicReference<>();
  private final AtomicReference<Throwable> broken = new AtomicReference<>();
  private final Runnable whenKilled;

  /** A life that ends by itself at a fatal moment, and then does this. */
  Incarnation(Runnable whenKilled) {
    this.whenKilled = whenKilled;
  }

  /** Ends it. */
  void end() {
    ended.set(true);
    over.set(true);
  }

  /** Whether it has ended. */
  boolean isOver() {
    return over.get();
  }

  /** Ends it at this moment, the next time that it comes. */
  void dieAt(CrashPoint point) {
    fatal.set(point);
  }

  /** Makes the next look at the mount table fail with this. */
  void breakNextLook(Throwable failure) {
    broken.set(failure);
  }

  /** Lets nobody answer who is asked whether what is mounted here is well. */
  void silent(MountPath path) {
    silent.add(path);
  }

  /** Lets the server of what is mounted here take its time, until {@link #answer}. */
  void slow(MountPath path) {
    slow.put(path, health -> {});
  }

  /** The slow server of what is mounted here answers its last question, and others at once. */
  void answer(MountPath path, Sighting.Health health) {
    slow.remove(path).accept(health);
  }

  /** Lets the server of what is mounted here answer again. */
  void answering(MountPath path) {
    silent.remove(path);
  }

  CrashPoint.Listener points() {
    return point -> {
      check();
      if (fatal.compareAndSet(point, null)) {
        ended.set(true);
        whenKilled.run();
        end();
        throw new Killed();
      }
    };
  }

  /** How often the mounts of the machine were listed. */
  int listings() {
    return listings.get();
  }

  private void check() {
    if (ended.get()) {
      throw new Killed();
    }
  }

  private <T> T alive(Supplier<T> work) {
    check();
    return work.get();
  }

  /** The kernel's mounts, as this life sees them. */
  KernelMounts kernel(KernelMounts real) {
    return new KernelMounts() {
      @Override
      public Place place() {
        return alive(real::place);
      }

      @Override
      public List<Sighting> at(MountPath path) {
        look();
        return alive(() -> real.at(path));
      }

      @Override
      public Optional<MountRef.Identity> mountOf(MountPath path) {
        look();
        return alive(() -> real.mountOf(path));
      }

      @Override
      public boolean isWatched() {
        return real.isWatched();
      }

      @Override
      public List<Sighting> beneath(MountPath directory) {
        look();
        listings.incrementAndGet();
        return alive(() -> real.beneath(directory));
      }

      @Override
      public Optional<String> device(MountPath path) {
        return alive(() -> real.device(path));
      }

      @Override
      public boolean hold(MountPath path, Consumer<Optional<String>> then) {
        return alive(() -> real.hold(path, problem -> ifAlive(() -> then.accept(problem))));
      }

      @Override
      public boolean letGo(MountPath path, Runnable closed) {
        return alive(() -> real.letGo(path, () -> ifAlive(closed)));
      }

      @Override
      public List<Sighting> elsewhere(MountPath path, MountPath own) {
        return alive(() -> real.elsewhere(path, own));
      }

      @Override
      public Optional<ShownDirectory> shown(MountPath directory) {
        return alive(() -> real.shown(directory));
      }

      @Override
      public Optional<String> holders(MountPath path) {
        return alive(() -> real.holders(path));
      }

      @Override
      public Runnable watch(Changes changes) {
        return real.watch(
            new Changes() {
              @Override
              public void came(MountPath path) {
                ifAlive(() -> changes.came(path));
              }

              @Override
              public void went(MountPath path) {
                ifAlive(() -> changes.went(path));
              }

              @Override
              public void missed() {
                ifAlive(changes::missed);
              }
            });
      }

      @Override
      public boolean mustAsk(MountPath path) {
        return alive(() -> silent.contains(path) || slow.containsKey(path) || real.mustAsk(path));
      }

      @Override
      public void ask(PluginId plugin, MountPath path, Consumer<Sighting.Health> then) {
        check();
        if (silent.contains(path)) {
          then.accept(Sighting.Health.SILENT);
          return;
        }
        if (slow.replace(path, health -> ifAlive(() -> then.accept(health))) != null) {
          return;
        }
        real.ask(plugin, path, health -> ifAlive(() -> then.accept(health)));
      }

      @Override
      public boolean unmount(MountPath path) {
        check();
        return real.unmount(path);
      }

      @Override
      public boolean unmountDead(MountPath path, DeadUnmount how) {
        check();
        return real.unmountDead(path, how);
      }
    };
  }

  private void look() {
    Throwable failure = broken.getAndSet(null);
    if (failure instanceof Error error) {
      throw error;
    } else if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }

  /** The plugins, as this life sees them. */
  NodePlugins plugins(NodePlugins real) {
    return new NodePlugins() {
      @Override
      public Optional<NodePlugin> find(PluginId id) {
        return alive(() -> real.find(id)).map(Incarnation.this::plugin);
      }

      @Override
      public Set<PluginId> known() {
        return alive(real::known);
      }
    };
  }

  private NodePlugin plugin(NodePlugin real) {
    return new NodePlugin() {
      @Override
      public MountPolicy policy() {
        return real.policy();
      }

      @Override
      public void facts(Consumer<PluginAnswer> then) {
        check();
        Consumer<PluginAnswer> answered = asked(then);
        real.facts(answer -> ifAlive(() -> answered.accept(answer)));
      }

      @Override
      public void knownFacts(Consumer<PluginAnswer> then) {
        check();
        Consumer<PluginAnswer> answered = asked(then);
        real.knownFacts(answer -> ifAlive(() -> answered.accept(answer)));
      }

      @Override
      public String instance() {
        return real.instance();
      }

      @Override
      public Optional<PluginAnswer.Down> barred() {
        return real.barred();
      }

      @Override
      public boolean mayStillRun(String instance) {
        return real.mayStillRun(instance);
      }

      @Override
      public boolean isSent(NodeCall call) {
        return real.isSent(call);
      }

      @Override
      public void call(NodeCall call, Consumer<Answer> then) {
        check();
        Consumer<Answer> answered = asked(then);
        real.call(call, answer -> ifAlive(() -> answered.accept(answer)));
      }
    };
  }

  /** Remembers that a plugin was asked until it is told what came of it. */
  private <T> Consumer<T> asked(Consumer<T> then) {
    Object question = new Object();
    questions.put(question, System.nanoTime());
    return answer -> {
      try {
        then.accept(answer);
      } finally {
        questions.remove(question);
      }
    };
  }

  /** Whether a plugin was asked a moment ago, and may well answer at once. */
  boolean isAsking() {
    long now = System.nanoTime();
    return !ended.get()
        && questions.values().stream().anyMatch(since -> now - since < MOMENT.toNanos());
  }

  private void ifAlive(Runnable work) {
    if (!ended.get()) {
      work.run();
    }
  }
}
