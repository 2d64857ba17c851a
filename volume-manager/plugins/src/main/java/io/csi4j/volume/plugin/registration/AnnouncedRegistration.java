package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.PluginName;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.registration.Conversations.Heard;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Announcement;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Policy.Decision;
import io.csi4j.volume.plugin.registration.WatchedSocket.Registered;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Registers announced plugins according to the fixed rules and to the host's policy, each plugin
 * once.
 */
final class AnnouncedRegistration {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  /**
   * The pattern is as lenient as Kubernetes: it allows an optional v before the number, and any
   * text after it.
   */
  private static final Pattern VERSION_1 = Pattern.compile("\\s*v?1\\.[0-9].*");

  private static final int LONGEST_PATH = 107;
  private static final int SHOWN_VERSIONS = 8;

  private final RegistrationWatch.Policy policy;
  private final PluginRegistry registry;
  private final Optional<PluginSupervisor> supervisor;

  AnnouncedRegistration(
      RegistrationWatch.Policy policy,
      PluginRegistry registry,
      Optional<PluginSupervisor> supervisor) {
    this.policy = policy;
    this.registry = registry;
    this.supervisor = supervisor;
  }

  /**
   * The result of an announcement.
   *
   * @param events the events, in order
   * @param refusal the message for an operator, if the announcement was refused
   */
  record Result(List<RegistrationWatch.Event> events, Optional<OperatorMessage> refusal) {

    static Result refused(WatchedSocket socket, OperatorCode code, String why) {
      return refused(Messages.of(code, SocketWatch.subject(socket), why));
    }

    static Result refused(OperatorMessage message) {
      return new Result(List.of(), Optional.of(message));
    }
  }

  /** Registers the plugin that a socket announces, unless a rule or the policy refuses it. */
  Result judge(WatchedSocket socket, Heard heard, Collection<WatchedSocket> all) {
    Optional<String> objections = objections(heard);
    if (objections.isPresent()) {
      return Result.refused(socket, OperatorCode.REGISTRATION_REFUSED, objections.get());
    }
    Announcement announcement =
        new Announcement(
            socket.endpoint.path(),
            heard.announcer(),
            heard.pluginName().orElseThrow(),
            heard.pluginEndpoint().orElseThrow(),
            heard.versions());
    Registered before = socket.registered;
    if (before != null
        && before.identity().equals(socket.identity)
        && before.announcement().equals(announcement)) {
      // The plugin is already registered; only the notification of the registrar was lost.
      return new Result(List.of(), Optional.empty());
    }
    Decision decision;
    try {
      decision = policy.decide(announcement);
    } catch (PluginException e) {
      // This message comes from csi4j: the policy created an invalid configuration, and the message
      // names the fault.
      return Result.refused(e.operatorMessage());
    } catch (RuntimeException e) {
      // The exception's message comes from the host, and could contain information that a registrar
      // must not receive.
      return Result.refused(
          socket,
          OperatorCode.REGISTRATION_REFUSED,
          "the host's policy failed with " + e.getClass().getName());
    }
    if (decision instanceof Decision.Refuse refuse) {
      return Result.refused(socket, OperatorCode.REGISTRATION_REFUSED, refuse.reason());
    }
    return register(socket, announcement, wish(decision), all);
  }

  private Result register(
      WatchedSocket socket, Announcement announcement, Wish wish, Collection<WatchedSocket> all) {
    PluginRegistration registration = wish.registration();
    List<RegistrationWatch.Event> events = new ArrayList<>();
    for (WatchedSocket other : all) {
      Registered theirs = other.registered;
      if (other != socket && theirs != null && theirs.claims(registration)) {
        if (other.missing.isEmpty()) {
          return Result.refused(
              socket,
              OperatorCode.PLUGIN_DUPLICATE,
              "it announces the plugin '"
                  + registration.id()
                  + "' at "
                  + registration.binding().endpoint()
                  + ", and '"
                  + other.endpoint.path()
                  + "' has announced it at "
                  + theirs.registration().binding().endpoint());
        }
        // The registrar of the other socket has ended, and the registrar of this socket has
        // replaced it.
        undo(other).ifPresent(events::add);
      }
    }
    Registered same = socket.registered;
    if (same != null && !same.sameInstance(registration)) {
      same = null;
    }
    if (same != null && same.claims(registration)) {
      // An instance has only one socket, so the old registration ends before the new registration
      // begins.
      same = null;
      undo(socket).ifPresent(events::add);
    }
    Registered now;
    try {
      now =
          new Registered(
              socket.identity,
              announcement,
              registration,
              wish.begin().apply(same == null ? null : same.handle()));
    } catch (PluginException e) {
      return new Result(events, Optional.of(e.operatorMessage()));
    } catch (RuntimeException e) {
      return new Result(
          events,
          Optional.of(
              Messages.of(
                  OperatorCode.REGISTRATION_REFUSED,
                  SocketWatch.subject(socket),
                  "registering it failed: " + e.getMessage())));
    }
    if (same == null) {
      undo(socket).ifPresent(events::add);
    }
    socket.registered = now;
    events.add(new RegistrationWatch.Event.Registered(announcement, registration, same != null));
    return new Result(events, Optional.empty());
  }

  /**
   * The registration to make for an announcement.
   *
   * @param registration the registration
   * @param begin makes the registration, given the earlier registration of the same instance;
   *     returns a handle that ends the registration
   */
  private record Wish(
      PluginRegistration registration, Function<@Nullable AutoCloseable, AutoCloseable> begin) {}

  private Wish wish(Decision decision) {
    if (decision instanceof Decision.Supervise supervise) {
      return new Wish(
          supervise.config().registration(supervise.instance()),
          before -> supervise(supervise, before));
    }
    PluginRegistration registration = ((Decision.Register) decision).registration();
    return new Wish(registration, before -> registry.register(registration));
  }

  private AutoCloseable supervise(Decision.Supervise wanted, @Nullable AutoCloseable before) {
    if (before instanceof SupervisedPlugin known) {
      known.refresh();
      return known;
    }
    return supervisor
        .orElseThrow(() -> new IllegalStateException("the watch was given no supervisor"))
        .supervise(wanted.config(), wanted.instance());
  }

  /** Deregisters the plugin that a socket has registered, if there is one. */
  Optional<RegistrationWatch.Event> undo(WatchedSocket socket) {
    Registered gone = socket.registered;
    if (gone == null) {
      return Optional.empty();
    }
    socket.registered = null;
    try {
      gone.handle().close();
    } catch (Exception e) {
      LOGGER.log(
          Level.WARNING,
          "Deregistering the plugin ''{0}'' failed. Deregister it by hand: {1}",
          gone.registration().id(),
          e.toString());
    }
    return Optional.of(
        new RegistrationWatch.Event.Deregistered(gone.announcement(), gone.registration()));
  }

  // ---- the rules

  /**
   * Returns all reasons against the registration, as a clause for people; empty if the plugin can
   * be registered.
   */
  private static Optional<String> objections(Heard heard) {
    List<String> wrong = new ArrayList<>();
    if (!heard.type().equals(PluginRegistrar.Announcement.CSI)) {
      // Plugins of other types have other rules for names and versions, so these are not checked.
      return Optional.of(
          "it announces a plugin of type '"
              + heard.type()
              + "', but only '"
              + PluginRegistrar.Announcement.CSI
              + "' is registered here");
    }
    if (heard.pluginName().isEmpty()) {
      wrong.add(
          "it announces the name '"
              + heard.name()
              + "', which no CSI plugin can have: "
              + PluginName.brokenRule(heard.name()).orElse("it cannot be printed"));
    }
    endpointObjection(heard).ifPresent(wrong::add);
    if (heard.versions().stream().noneMatch(each -> VERSION_1.matcher(each).matches())) {
      wrong.add(versionObjection(heard.versions()));
    }
    return wrong.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", wrong));
  }

  private static Optional<String> endpointObjection(Heard heard) {
    if (heard.pluginEndpoint().isEmpty()) {
      return Optional.of(
          "it announces the socket '" + heard.endpoint() + "', which is not an absolute path");
    }
    int length =
        heard.pluginEndpoint().get().path().toString().getBytes(StandardCharsets.UTF_8).length;
    return length <= LONGEST_PATH
        ? Optional.empty()
        : Optional.of(
            "it announces the socket '"
                + heard.endpoint()
                + "', whose path has "
                + length
                + " bytes, but a socket path may have at most "
                + LONGEST_PATH);
  }

  private static String versionObjection(List<String> versions) {
    if (versions.isEmpty()) {
      return "it announces no version of CSI, but this host needs 1.x";
    }
    return "it announces "
        + (versions.size() == 1 ? "version " : "the versions ")
        + versions.stream()
            .limit(SHOWN_VERSIONS)
            .map(each -> "'" + each + "'")
            .collect(Collectors.joining(", "))
        + (versions.size() > SHOWN_VERSIONS ? " and more" : "")
        + " of CSI, but this host needs 1.x";
  }
}
