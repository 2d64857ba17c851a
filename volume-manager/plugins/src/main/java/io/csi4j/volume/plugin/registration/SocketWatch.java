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
 * Reads a directory of sockets repeatedly, and contacts the registrar of each new socket once. If a
 * registrar does not answer, contacts it again after growing pauses. Questions and answers are
 * tasks that run one at a time. No task waits for a conversation.
 */
final class SocketWatch {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  static final Duration LONGEST_PAUSE = Duration.ofMinutes(2);

  /**
   * The pause between a change of the directory and the next read, because more names may change at
   * the same time.
   */
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
   * Settings of a watch.
   *
   * @param options the options for connecting to registrars
   * @param limit the time limit for connecting and for each call
   * @param interval the maximum time between two reads
   * @param grace how long a socket may be missing
   * @param firstPause the pause after the first failure of a registrar
   */
  record Settings(
      ConnectOptions options,
      Duration limit,
      Duration interval,
      Duration grace,
      Duration firstPause) {

    /** Returns the options for connecting to registrars. */
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

  /** Reads the directory soon, and then repeatedly. */
  void lookSoon() {
    tasks.put(this::look);
  }

  /** Handles a change in the directory. */
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

  /** Closes the watch. Afterwards, no decision is made. */
  void close() {
    tasks.close();
  }

  // ---- reading the directory

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

  /**
   * Returns the existing sockets by name, each with an identity that distinguishes it from a later
   * socket with the same name.
   */
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
          // Filesystems reuse the inode number of a deleted file, so the identity includes the
          // modification time.
          .map(facts -> facts.identity() + "@" + facts.modified());
    } catch (DiskException e) {
      // A file that is not a socket has no registrar.
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
    // The state is updated before the event is reported, so that a listener that queries the state
    // sees the change.
    collectRegistered();
    told.ifPresent(events);
  }

  private void collectRegistered() {
    List<Announcement> now = new ArrayList<>();
    for (WatchedSocket each : sockets.values()) {
      if (each.registered != null) {
        now.add(each.registered.announcement());
      }
    }
    registered = List.copyOf(now);
  }

  // ---- conversations

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
      // The socket may exist again, because the registrar that answered may have a new socket file.
      look();
      socket = sockets.get(begun.name);
    }
    if (socket == null || socket.missing.isPresent()) {
      return PluginRegistrar.Outcome.refused("the socket is gone");
    }
    socket.asked = socket.identity;
    AnnouncedRegistration.Result result = registering.judge(socket, heard, sockets.values());
    collectRegistered();
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
        // The socket may soon disappear or be created again, so the registrar is contacted again.
        again(socket);
      } else {
        trouble(socket, notTold.failure());
      }
    } else {
      socket.failures = 0;
    }
  }

  /** Handles a registrar that does not answer, or could not be notified of its registration. */
  private void trouble(WatchedSocket socket, Failure failure) {
    switch (failure.kind()) {
      case CLOSED -> {
        return;
      }
      case GONE -> {
        // The next read of the directory detects that the socket is missing.
      }
      case LEFT_BEHIND -> {
        say(
            socket,
            Messages.of(
                OperatorCode.REGISTRATION_SILENT,
                subject(socket),
                failure.why(),
                new OperatorMessage.Part(
                    "Start its registrar, or remove the socket; it is called again when it is "
                        + "recreated")));
        return;
      }
      case SILENT -> say(socket, OperatorCode.REGISTRATION_SILENT, failure);
      case DENIED -> say(socket, OperatorCode.PLUGIN_SOCKET_DENIED, failure);
      case UNFIT -> say(socket, OperatorCode.REGISTRATION_REFUSED, failure);
    }
    again(socket);
  }

  /** Asks the registrar again after a pause. */
  private void again(WatchedSocket socket) {
    socket.failures++;
    socket.stopWaiting();
    socket.retry =
        scheduler.after(
            pause(settings.firstPause(), socket.failures, scheduler.random()),
            () -> tasks.put(() -> ask(socket)));
  }

  /**
   * Returns the pause before the next attempt. It doubles with each consecutive failure, and varies
   * randomly by up to a quarter.
   */
  static Duration pause(Duration first, int failures, double random) {
    return new Backoff(first, LONGEST_PAUSE, 0.75, 0.5).pause(failures, random);
  }

  // ---- reports

  static Subject subject(WatchedSocket socket) {
    return Subject.of("checking the registration socket '" + socket.endpoint.path() + "'");
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
