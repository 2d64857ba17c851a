package io.csi4j.volume.plugin.registration;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.registration.Conversations.End;
import io.csi4j.volume.plugin.registration.Conversations.Failure;
import io.csi4j.volume.plugin.registration.Conversations.Heard;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Announcement;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a directory of sockets again and again, has each new one asked once, and again after a
 * pause that grows where it gives no answer. What is asked and heard comes in as tasks that run one
 * at a time; no conversation is waited for.
 */
final class SocketWatch {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  static final Duration LONGEST_PAUSE = Duration.ofMinutes(2);

  /** How long after a ring of the bell is looked: more than one name may change at a time. */
  static final Duration BELL_PAUSE = Duration.ofMillis(50);

  private final Disk disk;
  private final Path directory;
  private final Settings settings;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Conversations conversations;
  private final AnnouncedRegistration registering;
  private final Consumer<RegistrationWatch.Event> events;
  private final Mailbox tasks;
  private final Map<String, WatchedSocket> sockets = new TreeMap<>();
  private String saidOfDirectory = "";
  private Scheduler.@Nullable Timer nextLook;
  private final AtomicBoolean rung = new AtomicBoolean();
  private volatile List<Announcement> registered = List.of();

  /**
   * How a directory is watched.
   *
   * @param options how to connect to registrars
   * @param limit how long connecting and each call may take
   * @param interval the longest time between two looks
   * @param grace how long a socket may be gone
   * @param firstPause how long a registrar is left alone after its first failure
   */
  record Settings(
      ConnectOptions options,
      Duration limit,
      Duration interval,
      Duration grace,
      Duration firstPause) {

    /** The options with which registrars are connected. */
    ConnectOptions connecting() {
      return options.toBuilder().deadline(limit).build();
    }
  }

  SocketWatch(
      Disk disk,
      Path directory,
      Settings settings,
      Clock clock,
      Scheduler scheduler,
      Conversations conversations,
      AnnouncedRegistration registering,
      Consumer<RegistrationWatch.Event> events) {
    this.disk = disk;
    this.directory = directory;
    this.settings = settings;
    this.clock = clock;
    this.scheduler = scheduler;
    this.conversations = conversations;
    this.registering = registering;
    this.events = events;
    this.tasks = new Mailbox(scheduler, SocketWatch::broke);
  }

  /** Looks soon, and then again and again. */
  void lookSoon() {
    tasks.put(this::look);
  }

  /** Something changed in the directory. */
  void bellRings() {
    if (rung.compareAndSet(false, true)) {
      var unused = scheduler.after(BELL_PAUSE, this::lookSoon);
    }
  }

  private static void broke(Throwable failure) {
    LOGGER.log(Level.ERROR, "A task of the registration watch failed. Report this.", failure);
  }

  /** Returns the registered announcements. */
  List<Announcement> registered() {
    return registered;
  }

  /** Decides nothing any more. */
  void close() {
    tasks.close();
  }

  // ---- looking

  private void look() {
    rung.set(false);
    Scheduler.Timer planned = nextLook;
    if (planned != null) {
      planned.cancel();
    }
    nextLook = scheduler.after(settings.interval(), this::lookSoon);
    Map<String, String> seen;
    try {
      seen = socketsThere();
      saidOfDirectory = "";
    } catch (DiskException e) {
      sayOfDirectory(e);
      if (e.kind() != DiskException.Kind.NOT_FOUND) {
        return;
      }
      seen = Map.of();
    }
    for (WatchedSocket socket : List.copyOf(sockets.values())) {
      if (!seen.containsKey(socket.name)) {
        missing(socket);
      }
    }
    seen.forEach(this::seen);
  }

  /** The sockets there are, by name, each with what tells it from a new one of the same name. */
  private Map<String, String> socketsThere() throws DiskException {
    SortedMap<String, String> found = new TreeMap<>();
    for (String name : disk.list(directory)) {
      if (!name.startsWith(".")) {
        identity(name).ifPresent(identity -> found.put(name, identity));
      }
    }
    return found;
  }

  private Optional<String> identity(String name) {
    try {
      return disk.facts(directory.resolve(name))
          .filter(facts -> facts.kind() == FileFacts.Kind.SOCKET)
          // Filesystems give the number of a file that is gone to the next one.
          .map(facts -> facts.identity() + "@" + facts.modified());
    } catch (DiskException e) {
      // A file of another kind: it cannot be asked.
      return Optional.empty();
    }
  }

  private void seen(String name, String identity) {
    WatchedSocket known = sockets.get(name);
    if (known == null) {
      known = new WatchedSocket(directory.resolve(name), identity);
      sockets.put(name, known);
      ask(known);
      return;
    }
    known.missing = OptionalLong.empty();
    if (!known.identity.equals(identity)) {
      known.madeAnew(identity);
      ask(known);
    }
  }

  private void missing(WatchedSocket socket) {
    if (socket.missing.isEmpty()) {
      socket.missing = OptionalLong.of(clock.nanos());
      socket.stopWaiting();
    }
    long since = clock.nanos() - socket.missing.getAsLong();
    if (since >= settings.grace().toNanos()) {
      sockets.remove(socket.name);
      deregister(socket);
    }
  }

  private void deregister(WatchedSocket socket) {
    Optional<RegistrationWatch.Event> told = registering.undo(socket);
    // A listener who asks then sees what it was told.
    refresh();
    told.ifPresent(events);
  }

  private void refresh() {
    List<Announcement> now = new ArrayList<>();
    for (WatchedSocket each : sockets.values()) {
      if (each.registered != null) {
        now.add(each.registered.announcement());
      }
    }
    registered = List.copyOf(now);
  }

  // ---- talking

  private void ask(WatchedSocket socket) {
    if (socket.talking || sockets.get(socket.name) != socket) {
      return;
    }
    socket.talking = true;
    socket.asked = socket.identity;
    conversations.begin(
        socket.endpoint,
        heard -> {
          CompletableFuture<PluginRegistrar.Outcome> outcome = new CompletableFuture<>();
          tasks.put(() -> outcome.completeAsync(() -> judge(socket, heard), Runnable::run));
          return outcome;
        },
        end -> tasks.put(() -> ended(socket, end)));
  }

  private PluginRegistrar.Outcome judge(WatchedSocket begun, Heard heard) {
    WatchedSocket socket = sockets.get(begun.name);
    if (socket != null && socket.missing.isPresent()) {
      // It may be there again: the socket that just spoke need not be the one that is gone.
      look();
      socket = sockets.get(begun.name);
    }
    if (socket == null || socket.missing.isPresent()) {
      return PluginRegistrar.Outcome.refused("the socket is gone");
    }
    socket.asked = socket.identity;
    AnnouncedRegistration.Result result = registering.judge(socket, heard, sockets.values());
    refresh();
    result.events().forEach(events);
    if (result.refusal().isEmpty()) {
      socket.said = "";
      return PluginRegistrar.Outcome.accepted();
    }
    OperatorMessage message = result.refusal().get();
    say(socket, message);
    return PluginRegistrar.Outcome.refused(message.line());
  }

  private void ended(WatchedSocket socket, End end) {
    socket.talking = false;
    if (sockets.get(socket.name) != socket) {
      return;
    }
    if (!socket.identity.equals(socket.asked)) {
      ask(socket);
    } else if (end instanceof End.Failed failed) {
      trouble(socket, failed.failure());
    } else if (end instanceof End.NotTold notTold && notTold.outcome().registered()) {
      if (socket.failures == 0) {
        // It may just be going, or be made again.
        again(socket);
      } else {
        trouble(socket, notTold.failure());
      }
    } else {
      socket.failures = 0;
    }
  }

  /** The registrar says nothing, or does not hear that it is registered. */
  private void trouble(WatchedSocket socket, Failure failure) {
    switch (failure.kind()) {
      case CLOSED -> {
        return;
      }
      case GONE -> {
        // The next look tells.
      }
      case LEFT_BEHIND -> {
        say(
            socket,
            Messages.of(
                OperatorCode.REGISTRATION_SILENT,
                subject(socket),
                failure.why(),
                new OperatorMessage.Part(
                    "Start its registrar, or remove the socket; it is asked again when it is made"
                        + " anew")));
        return;
      }
      case SILENT -> say(socket, OperatorCode.REGISTRATION_SILENT, failure);
      case DENIED -> say(socket, OperatorCode.PLUGIN_SOCKET_DENIED, failure);
      case UNFIT -> say(socket, OperatorCode.REGISTRATION_REFUSED, failure);
    }
    again(socket);
  }

  /** Asks it again after a pause. */
  private void again(WatchedSocket socket) {
    socket.failures++;
    socket.stopWaiting();
    socket.retry =
        scheduler.after(
            pause(settings.firstPause(), socket.failures, scheduler.random()),
            () -> tasks.put(() -> ask(socket)));
  }

  /** Doubles from one failure to the next, and is spread by a quarter to either side. */
  static Duration pause(Duration first, int failures, double random) {
    return new Backoff(first, LONGEST_PAUSE, 0.75, 0.5).pause(failures, random);
  }

  // ---- telling

  static Subject subject(WatchedSocket socket) {
    return Subject.of("looking at the registration socket '" + socket.endpoint.path() + "'");
  }

  private void say(WatchedSocket socket, OperatorCode code, Failure failure) {
    say(socket, Messages.of(code, subject(socket), failure.why()));
  }

  private void say(WatchedSocket socket, OperatorMessage message) {
    if (!message.line().equals(socket.said)) {
      socket.said = message.line();
      events.accept(new RegistrationWatch.Event.Noticed(socket.endpoint.path(), message));
    }
  }

  private void sayOfDirectory(DiskException problem) {
    OperatorMessage message =
        Messages.of(
            OperatorCode.REGISTRATION_DIRECTORY,
            Subject.of("looking for registration sockets in '" + directory + "'"),
            problem.kind() == DiskException.Kind.NOT_FOUND
                ? "there is no such directory"
                : String.valueOf(problem.getMessage()));
    if (!message.line().equals(saidOfDirectory)) {
      saidOfDirectory = message.line();
      events.accept(new RegistrationWatch.Event.Noticed(directory, message));
    }
  }
}
