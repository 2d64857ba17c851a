package io.csi4j.client.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.registration.AnnouncedPlugin;
import io.csi4j.client.model.CsiEndpoint;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class PluginAnnouncementTest {

  @Test
  void itPrintsWhatTheRegistrarSaidInOneLine() {
    PluginRegistrar.Announcement announcement =
        RegistrationMapping.announcement(
            CsiEndpoint.of(Path.of("/run/reg.sock")),
            new AnnouncedPlugin("CSIPlugin", "hostpath\n.csi", "", List.of("1.0.0")));
    assertThat(announcement)
        .hasToString(
            "Announcement[type=CSIPlugin, name=hostpath\\n.csi, pluginName=Optional.empty,"
                + " endpoint=, pluginEndpoint=Optional[unix:///run/reg.sock],"
                + " supportedVersions=[1.0.0]]");
  }
}
