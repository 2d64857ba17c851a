package io.csi4j.testkit.internal.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.PluginInfo;
import io.csi4j.client.internal.proto.RegistrationStatus;
import io.csi4j.client.internal.proto.RegistrationStatusResponse;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.registration.RegistrationOutcome;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.RegistrationCall;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A registrar: its socket, what it says and hears, its faults, its life.
 *
 * <p>The life (start, stop, close) goes under one lock; calls never take it.
 */
public final class RegistrarCore {

  private static final String SERVICE = "/pluginregistration.Registration/";
  private static final int INTERNAL = 13;
  private static final int UNIMPLEMENTED = 12;
  private static final int OVERSIZED = 5 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SocketSite site;
  private final boolean endsWhenRefused;
  private final PluginWorkers workers = new PluginWorkers(threads("worker"));
  private final @Nullable RealClock ownClock;
  private final PluginClock clock;
  private final PluginSockets sockets = new PluginSockets(threads("io"));
  private final HoldingGate pen = new HoldingGate(workers);
  private final Map<RegistrationCall, Due> faults = new ConcurrentHashMap<>();
  private final AtomicInteger asked = new AtomicInteger();
  private final List<RegistrationOutcome> told = new CopyOnWriteArrayList<>();
  private final List<String> authorities = new CopyOnWriteArrayList<>();
  private final ReentrantLock life = new ReentrantLock();
  private volatile PluginInfo info = PluginInfo.getDefaultInstance();
  private volatile boolean running;

  /** How often it has stopped: a call of an earlier life goes no further. */
  private final AtomicInteger ended = new AtomicInteger();

  // Guarded by the lock.
  private boolean closed;

  /** A fault, and how often it is still due. */
  private record Due(Fault fault, AtomicInteger left) {}

  /** One that does not listen yet. */
  public RegistrarCore(Path socket, @Nullable PluginClock given, boolean endsWhenRefused) {
    this.site = new SocketSite(socket, Set.of(), null);
    this.endsWhenRefused = endsWhenRefused;
    ownClock = given == null ? new RealClock(workers, threads("timer")) : null;
    clock = given == null ? Objects.requireNonNull(ownClock) : given;
    pen.shut();
  }

  private static ThreadFactory threads(String role) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread =
          new Thread(task, "csi4j-testkit-registrar-" + role + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Listens for the first time; ends what it has begun if that fails. */
  public void open() {
    boolean opened = false;
    try {
      start();
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /** Where it listens. */
  public Path socket() {
    return site.socket();
  }

  /** Says this from now on. */
  public void announce(String type, String name, String endpoint, List<String> versions) {
    info =
        PluginInfo.newBuilder()
            .setType(type)
            .setName(name)
            .setEndpoint(endpoint)
            .addAllSupportedVersions(versions)
            .build();
  }

  /** Makes a fault happen to the next so many calls. */
  public void inject(RegistrationCall call, Fault fault, int times) {
    if (fault.steps().stream()
        .anyMatch(step -> step instanceof Fault.Give || step instanceof Fault.Change)) {
      throw new IllegalArgumentException(
          "A registrar has no answers of a plugin to give or change. Let it announce something else"
              + " with announce(...).");
    }
    if (fault.steps().stream()
        .anyMatch(step -> step instanceof Fault.Answer wrong && !suits(wrong.wrong()))) {
      throw new IllegalArgumentException(
          "A registrar has no ids and no pages to answer wrongly. Choose another wrong answer.");
    }
    faults.put(call, new Due(fault, new AtomicInteger(times)));
  }

  private static boolean suits(WrongAnswer wrong) {
    return wrong != WrongAnswer.OTHER_ID && wrong != WrongAnswer.LOOPING_PAGE;
  }

  /** Takes back every fault. */
  public void clearFaults() {
    faults.clear();
  }

  /** Lets hanging calls go on. */
  public void release() {
    // Calls on the way into the pen get there first, and out again.
    workers.awaitRest(PATIENCE);
    pen.flush();
  }

  /** How often it was asked. */
  public int asked() {
    return asked.get();
  }

  /** Returns what it was told. */
  public List<RegistrationOutcome> told() {
    return List.copyOf(told);
  }

  /** How its callers called it. */
  public List<String> authorities() {
    return List.copyOf(authorities);
  }

  /** Whether it listens. */
  public boolean listens() {
    return running;
  }

  /** Listens, again if it does already. */
  public void start() {
    life.lock();
    try {
      if (closed) {
        throw new IllegalStateException(
            "Starting the registrar at "
                + SafeText.quote(site.socket().toString())
                + " failed: it is closed, and its socket is gone. Open another one.");
      }
      stop();
      Entrance entrance = new Entrance(ended.get());
      sockets.listen(List.of(site), any -> entrance);
      running = true;
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } finally {
      life.unlock();
    }
  }

  /** Stops like a killed process. */
  public void stop() {
    life.lock();
    try {
      if (running) {
        running = false;
        ended.incrementAndGet();
        sockets.abort(() -> {});
        // Those that hang go out of the pen, and end there.
        pen.flush();
      }
    } finally {
      life.unlock();
    }
  }

  /** Stops, and removes its socket. */
  public void close() {
    life.lock();
    try {
      stop();
      closed = true;
      workers.close();
      if (ownClock != null) {
        ownClock.close();
      }
      sockets.close();
      sockets.removeFiles();
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } finally {
      life.unlock();
    }
  }

  /** Where calls come in. */
  private final class Entrance implements ServedStream.Door {
    private final int life;

    Entrance(int life) {
      this.life = life;
    }

    @Override
    public void enter(String path, SentHeaders sent, byte[] message, Caller caller) {
      authorities.add(sent.authority());
      if (path.equals(SERVICE + RegistrationCall.GET_INFO.rpcName())) {
        go(new Run(life, RegistrationCall.GET_INFO, Optional.empty(), caller));
      } else if (path.equals(SERVICE + RegistrationCall.NOTIFY_REGISTRATION_STATUS.rpcName())) {
        try {
          RegistrationStatus status = RegistrationStatus.parseFrom(message);
          go(
              new Run(
                  life,
                  RegistrationCall.NOTIFY_REGISTRATION_STATUS,
                  Optional.of(
                      new RegistrationOutcome(status.getPluginRegistered(), status.getError())),
                  caller));
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
          caller.fail(INTERNAL, "What was told makes no sense: " + e.getMessage());
        }
      } else {
        caller.fail(UNIMPLEMENTED, "There is no method " + SafeText.quote(path));
      }
    }

    @Override
    public void abandoned(Caller caller) {
      // A caller that gives up need not be answered; an answer goes nowhere.
    }

    @Override
    public void drop(Caller caller) {
      PluginSockets.breakOff((Channel) caller.connection());
    }
  }

  private void go(Run run) {
    Due due = faults.get(run.call);
    List<Fault> steps =
        due == null || due.left.getAndDecrement() <= 0 ? List.of() : due.fault.steps();
    workers.execute(
        () -> {
          // Counted by the worker: who sees the count finds the worker busy, and can await it.
          if (run.call == RegistrationCall.GET_INFO) {
            asked.incrementAndGet();
          }
          step(run, steps);
        });
  }

  /**
   * One call on its way.
   *
   * @param life how often the registrar had stopped when it began
   * @param call which
   * @param heard what it tells, if it tells something
   * @param caller who waits for the answer
   */
  private record Run(
      int life, RegistrationCall call, Optional<RegistrationOutcome> heard, Caller caller) {}

  private void step(Run run, List<Fault> steps) {
    try {
      take(run, steps);
    } catch (RuntimeException | Error e) {
      run.caller.fail(INTERNAL, "The test registrar failed itself: " + e);
    }
  }

  private void take(Run run, List<Fault> steps) {
    if (run.life != ended.get()) {
      return;
    }
    if (steps.isEmpty()) {
      answer(run, null);
      return;
    }
    Fault step = steps.get(0);
    Runnable next = () -> step(run, steps.subList(1, steps.size()));
    if (step instanceof Fault.Fail fail) {
      run.caller.fail(fail.code(), fail.text());
    } else if (step instanceof Fault.Apply) {
      run.heard.ifPresent(told::add);
      step(
          new Run(run.life, run.call, Optional.empty(), run.caller),
          steps.subList(1, steps.size()));
    } else if (step instanceof Fault.Duplicate) {
      run.heard.ifPresent(told::add);
      next.run();
    } else if (step instanceof Fault.ApplyLater later) {
      clock.after(later.after(), () -> run.heard.ifPresent(told::add));
      step(
          new Run(run.life, run.call, Optional.empty(), run.caller),
          steps.subList(1, steps.size()));
    } else if (step instanceof Fault.Delay delay) {
      clock.after(delay.time(), next);
    } else if (step instanceof Fault.Hang) {
      pen.pass(next);
    } else if (step instanceof Fault.Drop) {
      run.caller.drop();
    } else if (step instanceof Fault.Answer wrong) {
      answer(run, wrong.wrong());
    } else {
      throw new IllegalStateException("A sequence is no single step.");
    }
  }

  private void answer(Run run, @Nullable WrongAnswer wrong) {
    run.heard.ifPresent(told::add);
    if (endsWhenRefused && run.heard.filter(outcome -> !outcome.registered()).isPresent()) {
      // Those of Kubernetes exit where they stand: who told them gets no answer.
      workers.execute(() -> endLife(run.life));
      return;
    }
    Message right =
        run.call == RegistrationCall.GET_INFO
            ? info
            : RegistrationStatusResponse.getDefaultInstance();
    run.caller.answer(wrong == null ? List.of(right.toByteArray()) : spoilt(wrong, right), "");
  }

  /** Stops, unless it has stopped since that life. */
  private void endLife(int number) {
    life.lock();
    try {
      if (number == ended.get()) {
        stop();
      }
    } finally {
      life.unlock();
    }
  }

  private static List<byte[]> spoilt(WrongAnswer wrong, Message right) {
    return switch (wrong) {
      case EMPTY -> List.of(new byte[0]);
      case OVERSIZED ->
          List.of(PluginInfo.newBuilder().setName("x".repeat(OVERSIZED)).build().toByteArray());
      // A text that is longer than the message.
      case MALFORMED -> List.of(new byte[] {0x0a, 0x7f, 0x01});
      case NO_MESSAGE -> List.of();
      case TWO_MESSAGES -> List.of(right.toByteArray(), right.toByteArray());
      case OTHER_ID, LOOPING_PAGE -> throw new IllegalStateException("Such a fault is not taken.");
    };
  }
}
