package io.csi4j.volume.plugin.registration;

import io.csi4j.volume.internal.disk.DirectoryBell;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A watch on this machine, with its threads. */
final class OpenedWatch implements AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final SystemScheduler scheduler;
  private final RegistrarConversations conversations;
  private final SocketWatch watch;
  private final Mailbox telling;
  private final AutoCloseable bell;

  private OpenedWatch(
      Path directory,
      AnnouncedRegistration registering,
      RegistrationListener listener,
      WatchSettings settings) {
    scheduler = new SystemScheduler(2, "csi4j-volume-registration", CLOSING);
    conversations = new RegistrarConversations(settings.connecting(), CLOSING);
    telling = new Mailbox(scheduler, OpenedWatch::failed);
    watch =
        new SocketWatch(
            new SocketDirectory(new RealDisk(), directory),
            settings,
            new SystemClock(),
            scheduler,
            conversations,
            registering,
            event -> telling.put(() -> listener.on(event)));
    bell = DirectoryBell.on(directory, "csi4j-volume-registration-bell", watch::bellRings);
  }

  private static void failed(Throwable failure) {
    LOGGER.log(
        Level.WARNING,
        "A listener of registrations failed. It is told of further events. Repair it.",
        failure);
  }

  /** Begins to watch a directory. */
  public static OpenedWatch open(
      Path directory,
      PluginRegistry registry,
      Optional<PluginSupervisor> supervisor,
      AnnouncementPolicy policy,
      RegistrationListener listener,
      WatchSettings settings) {
    OpenedWatch opened =
        new OpenedWatch(
            directory, new AnnouncedRegistration(policy, registry, supervisor), listener, settings);
    opened.watch.lookSoon();
    return opened;
  }

  /** Returns the registered announcements. */
  public List<Announcement> registered() {
    return watch.registered();
  }

  @Override
  public void close() {
    try {
      bell.close();
    } catch (Exception e) {
      LOGGER.log(Level.WARNING, "The bell of a registration watch could not be closed.", e);
    }
    watch.close();
    telling.close();
    conversations.close();
    scheduler.close();
  }
}
