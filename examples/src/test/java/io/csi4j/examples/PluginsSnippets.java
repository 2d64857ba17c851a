package io.csi4j.examples;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.launch.PluginLaunchPlan;
import io.csi4j.volume.plugin.launch.ProcessPluginLauncher;
import io.csi4j.volume.plugin.launch.PropagationCheck;
import io.csi4j.volume.plugin.registration.RegistrationWatch;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The code blocks of docs/plugins.md, each between a mark with its name and one at its end. */
final class PluginsSnippets {

  private PluginsSnippets() {}

  static void wiring(
      Path directory, Path sockets, List<String> command, Consumer<Object> log, Runnable host)
      throws Exception {
    // snippet: wiring
    PluginConfig config =
        PluginConfig.builder("disk.csi.example", sockets).volumeRoot(directory).build();
    try (VolumeManager manager = VolumeManager.open(directory);
        PluginSupervisor supervisor =
            PluginSupervisor.builder(manager.plugins()).listener(log::accept).open();
        SupervisedPlugin plugin = supervisor.supervise(config);
        ProcessPluginLauncher process =
            ProcessPluginLauncher.builder(PluginLaunchPlan.of(config), command)
                .output(log::accept)
                .listener(
                    event -> {
                      log.accept(event);
                      if (event instanceof ProcessPluginLauncher.Event.Started) {
                        plugin.restarted();
                      }
                    })
                .start()) {
      host.run();
    }
    // end
  }

  static RegisteredPlugin waiting(VolumeManager manager, PluginConfig config) {
    // snippet: waiting
    RegisteredPlugin ready =
        manager
            .plugins()
            .await(config.id(), PluginRole.NODE, config.healthTimeout()) // fails when that is over
            .join();
    // end
    return ready;
  }

  static void stopping(VolumeManager manager, PluginId id, Runnable stop, Consumer<Object> log) {
    // snippet: stopping
    try (PluginDrain drain = manager.drain(id, Duration.ofMinutes(5))) { // no new volumes from now
      PluginDrain.Outcome outcome = drain.outcome().toCompletableFuture().join();
      if (outcome instanceof PluginDrain.Outcome.InUse inUse) {
        log.accept(inUse.message());
      } else {
        stop.run();
      }
    } // closed: volumes are mounted again, once a plugin is there
    // end
  }

  static void container(
      PluginConfig config, Map<String, String> variables, Consumer<String> container) {
    // snippet: container
    PluginLaunchPlan plan = PluginLaunchPlan.of(config).withEnvironment(variables);
    plan.prepare(); // before each start
    for (PluginLaunchPlan.Bind bind : plan.binds()) {
      String kernelWord = bind.propagation().kernelWord(); // rshared or rprivate
      container.accept("-v " + bind.source() + ":" + bind.target() + ":" + kernelWord);
    }
    plan.environment().forEach((name, value) -> container.accept("-e " + name + "=" + value));
    plan.capabilities().forEach(name -> container.accept("--cap-add " + name));
    // end
  }

  static void propagation(PluginConfig config, long process, Consumer<Object> log) {
    // snippet: propagation
    PropagationCheck.host(config).message().ifPresent(log); // before a container is started
    PropagationCheck.plugin(config, process).message().ifPresent(log); // when it runs
    // end
  }

  static void doubt(VolumeManager manager, PluginId plugin) {
    // snippet: doubt
    manager.plugins().recheck(plugin); // its supervisor asks NodeGetInfo again, soon
    // end
  }

  static PluginSupervisor timeout(
      VolumeManager manager, ProcessPluginLauncher process, Consumer<Object> log) {
    // snippet: timeout
    PluginSupervisor supervisor =
        PluginSupervisor.builder(manager.plugins())
            .onStartTimeout(
                late -> {
                  log.accept(late.message());
                  process.restart(); // or leave it: it is asked further
                })
            .open();
    // end
    return supervisor;
  }

  static RegistrationWatch registration(
      Path directory,
      Path registrars,
      PluginSupervisor supervisor,
      VolumeManager manager,
      Consumer<Object> log) {
    // snippet: registration
    RegistrationWatch watch =
        RegistrationWatch.builder(registrars, manager.plugins())
            .supervisor(supervisor)
            .policy(
                announced -> {
                  Path socket = announced.endpoint().path();
                  return new RegistrationWatch.Policy.Decision.Supervise(
                      PluginConfig.builder(announced.name().value(), socket.getParent())
                          .socketName(socket.getFileName().toString())
                          .volumeRoot(directory)
                          .build(),
                      InstanceId.ONLY);
                })
            .listener(log::accept)
            .open();
    // end
    return watch;
  }
}
