package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.registration.PluginAnnouncement;
import io.csi4j.volume.plugin.registration.Conversations.Heard;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The rules for what can be registered of an announcement. Pure. */
final class AnnouncementRules {

  /** As lenient as Kubernetes is: a leading v, and anything behind the number. */
  private static final Pattern VERSION_1 = Pattern.compile("\\s*v?1\\.[0-9].*");

  private static final int LONGEST_PATH = 107;
  private static final int SHOWN_VERSIONS = 8;

  private AnnouncementRules() {}

  /** Everything that speaks against it, as a clause for people; nothing if it can be registered. */
  static Optional<String> objections(Heard heard) {
    List<String> wrong = new ArrayList<>();
    if (!heard.type().equals(PluginAnnouncement.CSI)) {
      // Names and versions of other types have other rules.
      return Optional.of(
          "it announces a plugin of type '"
              + heard.type()
              + "', and only '"
              + PluginAnnouncement.CSI
              + "' is registered here");
    }
    if (heard.pluginName().isEmpty()) {
      wrong.add(
          "it announces the name '"
              + heard.name()
              + "', which no plugin of CSI can have: "
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
          "it announces the socket '" + heard.endpoint() + "', which is no absolute path");
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
                + " bytes, and a socket's has "
                + LONGEST_PATH
                + " at most");
  }

  private static String versionObjection(List<String> versions) {
    if (versions.isEmpty()) {
      return "it announces no version of CSI, and 1.x is spoken here";
    }
    return "it announces "
        + (versions.size() == 1 ? "version " : "the versions ")
        + versions.stream()
            .limit(SHOWN_VERSIONS)
            .map(each -> "'" + each + "'")
            .collect(Collectors.joining(", "))
        + (versions.size() > SHOWN_VERSIONS ? " and more" : "")
        + " of CSI, and 1.x is spoken here";
  }

  /** The announcement, if nothing speaks against it. */
  static Optional<Announcement> accepted(CsiEndpoint registrar, Heard heard) {
    Path socket = registrar.path();
    return objections(heard).isPresent()
        ? Optional.empty()
        : heard
            .pluginName()
            .flatMap(
                name ->
                    heard
                        .pluginEndpoint()
                        .map(
                            endpoint ->
                                new Announcement(
                                    socket, heard.announcer(), name, endpoint, heard.versions())));
  }
}
