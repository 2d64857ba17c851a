package io.csi4j.client.internal.values;

import io.csi4j.client.CsiEndpoint;
import io.csi4j.client.PluginName;
import io.csi4j.client.internal.text.RecordText;
import io.csi4j.client.registration.PluginAnnouncement;
import java.util.List;
import java.util.Optional;

/** The hidden values behind the results of {@code io.csi4j.client.registration}. */
public final class RegistrationResults {

  private RegistrationResults() {}

  /** See {@link PluginAnnouncement}. */
  public record AnnouncementValue(
      String type,
      String name,
      Optional<PluginName> pluginName,
      String endpoint,
      Optional<CsiEndpoint> pluginEndpoint,
      List<String> supportedVersions)
      implements PluginAnnouncement {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }
}
