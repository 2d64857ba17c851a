package io.csi4j.client.registration;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import java.util.List;
import java.util.Optional;

/** See {@link PluginRegistrar.Announcement}. */
record AnnouncementValue(
    String type,
    String name,
    Optional<PluginName> pluginName,
    String endpoint,
    Optional<CsiEndpoint> pluginEndpoint,
    List<String> supportedVersions)
    implements PluginRegistrar.Announcement {
  @Override
  public String toString() {
    return RecordText.of(this);
  }
}
