package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.controller.ControllerLinks.Connected;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections to controllers while instances come and go. */
class ControllerLinksTest {

  private static final PluginId ID = PluginId.of("fake");

  /** A registry that is slow to hand over what it read, to the thread that tells its events. */
  private static final class SlowToEvents implements PluginRegistry {

    private final PluginRegistry real = InMemoryPluginRegistry.open();
    private final CountDownLatch read = new CountDownLatch(1);
    private final CountDownLatch connected = new CountDownLatch(1);

    @Override
    public List<RegisteredPlugin> plugins() {
      List<RegisteredPlugin> all = real.plugins();
      if (Thread.currentThread().getName().startsWith("csi4j-volume-plugin-events")) {
        read.countDown();
        try {
          // Bounded, for links that are not let in meanwhile.
          boolean isConnected = connected.await(1, TimeUnit.SECONDS);
          assert isConnected || connected.getCount() == 1;
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return all;
    }

    @Override
    public PluginHandle register(PluginRegistration registration) {
      return real.register(registration);
    }

    @Override
    public boolean deregister(PluginId plugin, InstanceId instance) {
      return real.deregister(plugin, instance);
    }

    @Override
    public Optional<RegisteredPlugin> find(PluginId plugin, PluginRole role) {
      return real.find(plugin, role);
    }

    @Override
    public RegisteredPlugin get(PluginId plugin, PluginRole role) {
      return real.get(plugin, role);
    }

    @Override
    public CompletableFuture<RegisteredPlugin> await(
        PluginId plugin, PluginRole role, Duration limit) {
      return real.await(plugin, role, limit);
    }

    @Override
    public AutoCloseable listen(PluginRole role, PluginEvent.Listener listener) {
      return real.listen(role, listener);
    }
  }

  private static PluginRegistration registration(CsiEndpoint endpoint) {
    return new PluginRegistration(
        PluginBinding.of(ID, endpoint), InstanceId.of("only"), EnumSet.of(PluginRole.CONTROLLER));
  }

  @Test
  void aConnectionMadeWhileADepartureIsHeardIsNotTakenForOneThatLeft() throws Exception {
    SlowToEvents registry = new SlowToEvents();
    try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().shape(PluginShape.full()).open();
        ControllerLinks links = new ControllerLinks(registry)) {
      PluginRegistration first = registration(plugin.endpoint());
      registry.register(first);
      assertThat(registry.deregister(ID, first.instance())).isTrue();
      assertThat(registry.read.await(10, TimeUnit.SECONDS)).isTrue();
      registry.register(registration(plugin.endpoint()));

      Connected made = links.way(ID, Subject.of("testing")).get(10, TimeUnit.SECONDS);
      registry.connected.countDown();

      for (int i = 0; i < 50; i++) {
        Connected again = links.way(ID, Subject.of("testing")).get(10, TimeUnit.SECONDS);
        assertThat(again.link()).isSameAs(made.link());
      }
    }
  }
}
