package io.csi4j.client.registration;

import io.csi4j.client.internal.registration.AnnouncedPlugin;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** Converts the message of a registrar into a {@link PluginRegistrar.Announcement}. */
final class RegistrationMapping {

  private RegistrationMapping() {}

  /**
   * Returns the announcement.
   *
   * @param registrar the socket on which it was received
   */
  public static PluginRegistrar.Announcement announcement(
      CsiEndpoint registrar, AnnouncedPlugin plugin) {
    return new AnnouncementValue(
        SafeText.escape(plugin.type()),
        SafeText.escape(plugin.name()),
        Optional.of(plugin.name())
            .filter(name -> PluginName.brokenRule(name).isEmpty())
            .map(PluginName::of),
        SafeText.escape(plugin.endpoint()),
        plugin.endpoint().isEmpty() ? Optional.of(registrar) : endpoint(plugin.endpoint()),
        plugin.versions().stream()
            .limit(PluginRegistrar.Announcement.VERSIONS_LIMIT)
            .map(SafeText::escape)
            .toList());
  }

  /** Returns the announced path if it is absolute and printable. */
  private static Optional<CsiEndpoint> endpoint(String announced) {
    try {
      return SafeText.escape(announced).equals(announced)
          ? Optional.of(Path.of(announced)).filter(Path::isAbsolute).map(CsiEndpoint::of)
          : Optional.empty();
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
