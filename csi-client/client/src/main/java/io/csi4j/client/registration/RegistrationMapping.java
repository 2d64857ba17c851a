package io.csi4j.client.registration;

import io.csi4j.client.internal.proto.PluginInfo;
import io.csi4j.client.internal.proto.RegistrationStatus;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** The messages between registrars and who hears them. */
final class RegistrationMapping {

  private RegistrationMapping() {}

  /**
   * What was announced.
   *
   * @param registrar the socket on which it was
   */
  public static PluginAnnouncement announcement(CsiEndpoint registrar, PluginInfo info) {
    return new AnnouncementValue(
        SafeText.escape(info.getType()),
        SafeText.escape(info.getName()),
        Optional.of(info.getName())
            .filter(name -> PluginName.brokenRule(name).isEmpty())
            .map(PluginName::of),
        SafeText.escape(info.getEndpoint()),
        info.getEndpoint().isEmpty() ? Optional.of(registrar) : endpoint(info.getEndpoint()),
        info.getSupportedVersionsList().stream()
            .limit(PluginAnnouncement.VERSIONS_LIMIT)
            .map(SafeText::escape)
            .toList());
  }

  /** A path that is absolute, and that is shown as it is. */
  private static Optional<CsiEndpoint> endpoint(String announced) {
    try {
      return SafeText.escape(announced).equals(announced)
          ? Optional.of(Path.of(announced)).filter(Path::isAbsolute).map(CsiEndpoint::of)
          : Optional.empty();
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** The message that tells of an outcome. */
  public static RegistrationStatus status(RegistrationOutcome outcome) {
    return RegistrationStatus.newBuilder()
        .setPluginRegistered(outcome.registered())
        .setError(outcome.error())
        .build();
  }
}
