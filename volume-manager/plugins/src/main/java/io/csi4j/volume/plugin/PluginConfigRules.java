package io.csi4j.volume.plugin;

import io.csi4j.client.model.PluginPath;
import io.csi4j.volume.internal.link.SocketPaths;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.PluginId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules for the configuration of a plugin. They look at nothing but the configuration. */
final class PluginConfigRules {

  private static final String SUFFIX = ".sock";

  private PluginConfigRules() {}

  /** All that is wrong, each as a clause for people. */
  static List<String> violations(PluginConfig.Builder parts) {
    List<String> wrong = new ArrayList<>();
    id(parts.id, wrong);
    Optional<Set<PluginRole>> roles = roles(parts);
    if (roles.isEmpty()) {
      wrong.add(
          "it has to serve node, controller or monolith, and not "
              + (parts.role == null ? "nothing" : quoted(parts.role)));
    }
    socketName(parts.socketName, wrong);
    directory("the directory of its socket", parts.socketDirectory, wrong);
    Path root = parts.volumeRoot;
    if (root != null) {
      directory("the directory of the volume manager", root, wrong);
    } else if (roles.isEmpty() || roles.get().contains(PluginRole.NODE)) {
      wrong.add("a plugin that serves nodes needs the directory of the volume manager");
    }
    nesting(parts, wrong);
    socketLength(parts, wrong);
    positive("health timeout", parts.healthTimeout, wrong);
    positive("start interval", parts.startInterval, wrong);
    positive("probe interval", parts.probeInterval, wrong);
    positive("probe limit", parts.probeLimit, wrong);
    positive("number of failures until it is unhealthy", parts.failuresToUnhealthy, wrong);
    positive("number of answers until it is ready", parts.answersToReady, wrong);
    return List.copyOf(wrong);
  }

  /** Returns the roles; nothing if they make no sense. */
  static Optional<Set<PluginRole>> roles(PluginConfig.Builder parts) {
    String word = parts.role;
    if (word == null) {
      return Optional.of(parts.roles).filter(roles -> !roles.isEmpty());
    }
    try {
      return Optional.of(PluginRole.parse(word));
    } catch (IllegalArgumentException unknown) {
      return Optional.empty();
    }
  }

  private static void id(String id, List<String> wrong) {
    try {
      var unused = PluginId.of(id);
    } catch (IllegalArgumentException refused) {
      wrong.add(id.isEmpty() ? "its id is empty" : "its id is too long or not printable");
    }
  }

  private static void socketName(String name, List<String> wrong) {
    if (name.indexOf('/') >= 0 || name.chars().anyMatch(Character::isISOControl)) {
      wrong.add("the name of its socket " + quoted(name) + " has to be one name, without a slash");
    } else if (!name.endsWith(SUFFIX)) {
      wrong.add("the name of its socket " + quoted(name) + " does not end in " + SUFFIX);
    }
  }

  private static void directory(String what, Path path, List<String> wrong) {
    if (!path.isAbsolute() || !path.equals(path.normalize())) {
      wrong.add(what + " " + quoted(path) + " has to be absolute, without . and ..");
    } else if (path.getParent() == null) {
      wrong.add(what + " is the root of the filesystem");
    }
  }

  /** Cleaning up one of the two directories must not meet the other in it. */
  private static void nesting(PluginConfig.Builder parts, List<String> wrong) {
    Path root = parts.volumeRoot;
    if (root == null) {
      return;
    }
    apart("on this host", parts.socketDirectory, root, wrong);
    Path seenSocket = seen(parts.seesSocketDirectoryAt, parts.socketDirectory);
    Path seenRoot = seen(parts.seesVolumeRootAt, root);
    boolean isAnotherView = !seenSocket.equals(parts.socketDirectory) || !seenRoot.equals(root);
    if (isAnotherView) {
      apart("as the plugin sees them", seenSocket, seenRoot, wrong);
    }
  }

  private static void apart(String where, Path sockets, Path root, List<String> wrong) {
    Path first = sockets.normalize();
    Path second = root.normalize();
    if (first.startsWith(second) || second.startsWith(first)) {
      wrong.add(
          "the directory of its socket "
              + quoted(sockets)
              + " and that of the volume manager "
              + quoted(root)
              + ", "
              + where
              + ", have to be apart, and neither inside of the other");
    }
  }

  private static void socketLength(PluginConfig.Builder parts, List<String> wrong) {
    int fits = SocketPaths.longest(parts.connectOptions);
    length("", parts.socketDirectory, parts.socketName, fits, wrong);
    if (parts.seesSocketDirectoryAt != null) {
      Path seen = Path.of(parts.seesSocketDirectoryAt.value());
      length(" as the plugin sees it", seen, parts.socketName, SocketPaths.ON_LINUX, wrong);
    }
  }

  private static void length(
      String view, Path directory, String name, int fits, List<String> wrong) {
    int bytes = (directory + "/" + name).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > fits) {
      wrong.add("the path of its socket" + view + " has " + bytes + " bytes, and " + fits + " fit");
    }
  }

  private static void positive(String what, Duration value, List<String> wrong) {
    if (value.isZero() || value.isNegative()) {
      wrong.add("the " + what + " has to be positive, and is " + value);
    }
  }

  private static void positive(String what, int value, List<String> wrong) {
    if (value < 1) {
      wrong.add("the " + what + " has to be 1 or more, and is " + value);
    }
  }

  private static Path seen(@Nullable PluginPath plugin, Path host) {
    return plugin == null ? host : Path.of(plugin.value());
  }

  private static String quoted(Object text) {
    return "'" + ForeignText.of(text.toString()) + "'";
  }
}
