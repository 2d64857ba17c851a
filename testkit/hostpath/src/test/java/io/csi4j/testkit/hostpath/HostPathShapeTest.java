package io.csi4j.testkit.hostpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.model.PluginShape;
import org.junit.jupiter.api.Test;

/** The shape of a host path plugin; that of the fake is held to csi-sanity in CsiSanityTest. */
class HostPathShapeTest {

  @Test
  void forCsiSanityItHasNoCapabilityThatTheFakeLeavesOut() {
    PluginShape fake = PluginShape.csiSanity();
    PluginShape shape = HostPathPlugin.defaultShape().forCsiSanity();

    assertThat(shape.pluginCapabilities()).isNotEmpty().isSubsetOf(fake.pluginCapabilities());
    assertThat(shape.controllerCapabilities())
        .isNotEmpty()
        .isSubsetOf(fake.controllerCapabilities());
    assertThat(shape.nodeCapabilities()).isNotEmpty().isSubsetOf(fake.nodeCapabilities());
    assertThat(shape.quirks()).isEqualTo(fake.quirks());
  }
}
