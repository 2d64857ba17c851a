package io.csi4j.volume.internal.plugin;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The messages of the registry. */
public final class PluginMessages {

  /** Maximum number of instances that a message names. */
  private static final int NAMED = 10;

  private PluginMessages() {}

  /** Returns the health of an instance that was just registered. */
  static PluginHealth notAsked(Instant since) {
    return new PluginHealth(
        State.STARTING,
        Reason.NOT_ASKED,
        new PluginHealth.Text("its health was not checked yet"),
        since);
  }

  // ---- refusals

  private static PluginException refusal(OperatorCode code, Subject subject, String seen) {
    return new PluginException(Messages.of(code, subject, seen));
  }

  static PluginException duplicate(PluginRegistration claims, PluginRegistration has) {
    return refusal(
        OperatorCode.PLUGIN_DUPLICATE,
        subject("registering", claims),
        "it is registered at "
            + has.binding().endpoint()
            + ", and "
            + claims.binding().endpoint()
            + " claims its name");
  }

  static PluginException closed(PluginRegistration instance) {
    return refusal(
        OperatorCode.ENGINE_CLOSED,
        subject("registering", instance),
        "the registry of plugins was closed before");
  }

  static PluginException renamed(PluginRegistration instance, PluginName known, PluginName given) {
    return refusal(
        OperatorCode.PLUGIN_NAME_CHANGED,
        subject("registering", instance),
        "it reports the name '" + given + "', but the plugin of this id reports '" + known + "'");
  }

  static PluginException missing(PluginId plugin, PluginRole role, List<RegisteredPlugin> all) {
    return refusal(
        OperatorCode.PLUGIN_NOT_REGISTERED,
        looking(plugin, role),
        absence(plugin, role, all) + "; " + registered(all));
  }

  static PluginException late(
      PluginId plugin, PluginRole role, Duration limit, List<RegisteredPlugin> all) {
    boolean isThere =
        all.stream().map(RegisteredPlugin::registration).anyMatch(it -> is(it, plugin, role));
    return refusal(
        isThere ? OperatorCode.PLUGIN_NOT_UP : OperatorCode.PLUGIN_NOT_REGISTERED,
        looking(plugin, role),
        (isThere
                ? "none of its instances was ready within " + span(limit)
                : "after " + span(limit) + " " + absence(plugin, role, all))
            + "; "
            + registered(all));
  }

  static PluginException closed(PluginId plugin, PluginRole role) {
    return refusal(
        OperatorCode.ENGINE_CLOSED, looking(plugin, role), "the plugins were closed meanwhile");
  }

  private static boolean is(PluginRegistration registration, PluginId plugin, PluginRole role) {
    return registration.id().equals(plugin) && registration.roles().contains(role);
  }

  private static String absence(PluginId plugin, PluginRole role, List<RegisteredPlugin> all) {
    if (all.stream().map(RegisteredPlugin::registration).anyMatch(it -> is(it, plugin, role))) {
      return "it is not the registered plugin";
    }
    return unregistered(plugin, role, all).text();
  }

  /**
   * Returns the answer if no instance of a plugin is registered with this role. The text names the
   * roles that the registered instances have.
   */
  public static PluginAnswer.Down unregistered(
      PluginId plugin, PluginRole role, List<RegisteredPlugin> all) {
    String has =
        all.stream()
            .map(RegisteredPlugin::registration)
            .filter(each -> each.id().equals(plugin))
            .flatMap(each -> each.roles().stream())
            .distinct()
            .sorted()
            .map(PluginRole::name)
            .collect(Collectors.joining(" and "));
    return new PluginAnswer.Down(
        "it is "
            + (has.isEmpty() ? "" : "registered with the role " + has + ", and ")
            + "not registered with the role "
            + role,
        OperatorCode.PLUGIN_NOT_REGISTERED);
  }

  private static Subject looking(PluginId plugin, PluginRole role) {
    return Subject.of("looking for the " + word(role) + " plugin '" + plugin + "'");
  }

  /** Returns a text with the registered plugins, for a caller that asked for another plugin. */
  static String registered(List<RegisteredPlugin> all) {
    if (all.isEmpty()) {
      return "none is registered";
    }
    return "registered are: "
        + all.stream().limit(NAMED).map(PluginMessages::brief).collect(Collectors.joining(", "))
        + (all.size() > NAMED ? " and " + (all.size() - NAMED) + " more" : "");
  }

  private static String brief(RegisteredPlugin known) {
    PluginRegistration registration = known.registration();
    return "'"
        + ForeignText.of(registration.id().value())
        + "' (instance '"
        + ForeignText.of(registration.instance().value())
        + "', "
        + registration.roles().stream()
            .sorted()
            .map(PluginMessages::word)
            .collect(Collectors.joining(" and "))
        + ", "
        + word(known.health().state())
        + (known.remembered() ? ", remembered" : "")
        + ")";
  }

  // ---- messages for listeners

  /** Returns the message that another process of the same version has replaced the plugin. */
  static OperatorMessage startedAnew(PluginRegistration instance, PluginFingerprint now) {
    return Messages.of(
        OperatorCode.PLUGIN_REPLACED,
        subject("asking", instance),
        "it was restarted, with the same version '" + now.version() + "'");
  }

  /** Returns the message about a change of health, if an operator needs one. */
  static Optional<OperatorMessage> of(
      PluginRegistration instance, PluginHealth before, PluginHealth now) {
    return switch (now.state()) {
      case STARTING, READY -> Optional.empty();
      case UNHEALTHY ->
          Optional.of(
              Messages.of(
                  before.state() == State.STARTING
                      ? OperatorCode.PLUGIN_START_TIMEOUT
                      : OperatorCode.PLUGIN_UNHEALTHY,
                  subject("looking after", instance),
                  now.text() + ", since " + now.since()));
      case GONE ->
          Optional.of(
              Messages.of(
                  now.reason() == Reason.STOPPED
                      ? OperatorCode.PLUGIN_STOPPED
                      : OperatorCode.PLUGIN_NOT_UP,
                  subject("looking after", instance),
                  now.text() + ", since " + now.since()));
    };
  }

  /** Returns the messages about changes of a fingerprint. */
  static List<OperatorMessage> of(
      PluginRegistration instance, List<PluginFingerprint.Change> changes) {
    List<OperatorMessage> messages = new ArrayList<>();
    for (PluginFingerprint.Change change : changes) {
      of(change)
          .ifPresent(
              code -> messages.add(Messages.of(code, subject("asking", instance), seen(change))));
    }
    return messages;
  }

  private static Optional<OperatorCode> of(PluginFingerprint.Change change) {
    if (change instanceof PluginFingerprint.Change.Value value) {
      return switch (value.part()) {
        case VERSION -> Optional.of(OperatorCode.PLUGIN_REPLACED);
        case NODE_ID -> Optional.of(OperatorCode.NODE_ID_CHANGED);
        case MAX_VOLUMES -> Optional.of(OperatorCode.NODE_LIMIT_CHANGED);
        case TOPOLOGY -> Optional.of(OperatorCode.NODE_TOPOLOGY_CHANGED);
      };
    }
    return Optional.of(
        change instanceof PluginFingerprint.Change.Lost
            ? OperatorCode.CAPABILITY_LOST
            : OperatorCode.CAPABILITY_GAINED);
  }

  private static String seen(PluginFingerprint.Change change) {
    if (change instanceof PluginFingerprint.Change.Value value) {
      return switch (value.part()) {
            case VERSION -> "its version: ";
            case NODE_ID -> "the node's id: ";
            case MAX_VOLUMES -> "the volume limit of the node: ";
            case TOPOLOGY -> "the topology of the node: ";
          }
          + value.values();
    } else if (change instanceof PluginFingerprint.Change.Lost lost) {
      return "it does not offer " + service(lost.capability()) + " any more";
    } else {
      return "it offers "
          + service(((PluginFingerprint.Change.Gained) change).capability())
          + " now";
    }
  }

  private static String service(Enum<?> capability) {
    String name = capability.name();
    if (capability instanceof ControllerCapability) {
      return name + " of its controller service";
    } else if (capability instanceof NodeCapability) {
      return name + " of its node service";
    }
    return capability instanceof PluginCapability ? name + " as a whole" : name;
  }

  /** Returns the subject of messages about work on an instance. */
  static Subject subject(String doing, PluginRegistration instance) {
    return Subject.of(
        doing
            + " plugin '"
            + instance.id()
            + "' (instance '"
            + instance.instance()
            + "') at "
            + instance.binding().endpoint());
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static String span(Duration limit) {
    return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
  }
}
