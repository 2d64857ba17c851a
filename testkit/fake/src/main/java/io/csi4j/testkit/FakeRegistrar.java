package io.csi4j.testkit;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.server.RegistrarCore;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.RegistrationCall;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A registrar that announces a plugin on a real UNIX socket in a watched directory, as the sidecars
 * of Kubernetes do, and that can be told to misbehave.
 *
 * <p>It is called {@code NAME-reg.sock} after its plugin. Like those sidecars it ends when it is
 * told that its plugin was refused, without an answer and with its socket left behind; only {@link
 * #start} starts it again. It listens from the moment it was opened until {@link #close}. All
 * methods are safe for use by many threads.
 *
 * @since 1.0
 */
public final class FakeRegistrar implements AutoCloseable {

  private final RegistrarCore core;

  private FakeRegistrar(RegistrarCore core) {
    this.core = core;
  }

  /** One that announces a plugin of CSI, version 1.0.0. */
  public static FakeRegistrar open(Path directory, PluginName plugin, CsiEndpoint endpoint) {
    return builder(directory).announce(Announced.of(plugin, endpoint)).open();
  }

  /** One that is not started yet; its directory has to be there. */
  public static Builder builder(Path directory) {
    return new Builder(directory);
  }

  /** The announcement of a registrar, right or wrong: any words are allowed. Immutable. */
  public static final class Announced {
    private final String type;
    private final String name;
    private final String endpoint;
    private final List<String> versions;

    private Announced(String type, String name, String endpoint, List<String> versions) {
      this.type = type;
      this.name = name;
      this.endpoint = endpoint;
      this.versions = versions;
    }

    /** A plugin of CSI, version 1.0.0. */
    public static Announced of(PluginName plugin, CsiEndpoint endpoint) {
      String socket = endpoint.path().toString();
      return new Announced("CSIPlugin", plugin.value(), socket, List.of("1.0.0"));
    }

    /** Returns the announcement with another kind of plugin. */
    public Announced type(String value) {
      return new Announced(value, name, endpoint, versions);
    }

    /** Returns the announcement with another name of the plugin. */
    public Announced name(String value) {
      return new Announced(type, value, endpoint, versions);
    }

    /** Returns the announcement with another place where the plugin is said to listen. */
    public Announced endpoint(String value) {
      return new Announced(type, name, value, versions);
    }

    /** Returns the announcement with other versions of the plugin's interface. */
    public Announced versions(String... values) {
      return new Announced(type, name, endpoint, List.of(values));
    }

    private void by(RegistrarCore core) {
      core.announce(type, name, endpoint, versions);
    }
  }

  /** Its socket. */
  public Path socket() {
    return core.endpoint().path();
  }

  /** Sets what it announces from now on. */
  public void announce(Announced announced) {
    announced.by(core);
  }

  /**
   * From now on, makes {@code fault} happen to every such call; the one that was set before is
   * taken back. Doing the work means to note what was told.
   *
   * @throws IllegalArgumentException if the fault gives or changes the answer of a plugin, or has
   *     {@code OTHER_ID} or {@code LOOPING_PAGE}: a registrar has neither ids nor pages
   */
  public void inject(RegistrationCall call, Fault fault) {
    core.inject(call, fault, Integer.MAX_VALUE);
  }

  /** {@link #inject} for the next call of that kind only. */
  public void injectOnce(RegistrationCall call, Fault fault) {
    core.inject(call, fault, 1);
  }

  /** Takes back every fault. Calls that hang by one go on hanging until {@link #release}. */
  public void clearFaults() {
    core.clearFaults();
  }

  /** Lets every call go on that hangs by a fault. */
  public void release() {
    core.release();
  }

  /** How often it was asked what it announces. */
  public int asked() {
    return core.asked();
  }

  /** Returns what it was told of its announcement, in order. */
  public List<PluginRegistrar.Outcome> told() {
    return core.told();
  }

  /** The authorities that its callers gave, in order. */
  public List<String> authorities() {
    return core.authorities();
  }

  /** Whether it listens. */
  public boolean listens() {
    return core.listens();
  }

  /** Stops like a killed process: connections break, the socket is left behind. */
  public void stop() {
    core.stop();
  }

  /** Listens again on a new socket in the place of the old one. Stops before, if it runs. */
  public void start() {
    core.restart();
  }

  /** Stops, and removes its socket, as one that is asked to end does. */
  @Override
  public void close() {
    core.close();
  }

  /** The settings that a registrar is started with. */
  public static final class Builder {
    private final Path directory;
    private Announced announced =
        Announced.of(PluginName.of("fake.csi4j.example"), CsiEndpoint.of(Path.of("/csi.sock")));
    private @Nullable String socketName;
    private boolean endsWhenRefused = true;
    private @Nullable PluginClock clock;

    private Builder(Path directory) {
      this.directory = directory;
    }

    /** Sets the announcement. Default: a plugin {@code fake.csi4j.example} at {@code /csi.sock}. */
    public Builder announce(Announced value) {
      announced = value;
      return this;
    }

    /** Sets the name of its socket. Default: {@code NAME-reg.sock}. */
    public Builder socketName(String value) {
      socketName = value;
      return this;
    }

    /** Whether it ends when it is told that its plugin was refused. It does by default. */
    public Builder endsWhenRefused(boolean value) {
      endsWhenRefused = value;
      return this;
    }

    /** The time of its delays. Default: real time. */
    public Builder clock(PluginClock value) {
      clock = value;
      return this;
    }

    /**
     * Starts the registrar.
     *
     * @throws java.io.UncheckedIOException if it cannot listen, saying where and why
     */
    public FakeRegistrar open() {
      String name = socketName == null ? announced.name + "-reg.sock" : socketName;
      RegistrarCore core =
          new RegistrarCore(directory.toAbsolutePath().resolve(name), clock, endsWhenRefused);
      announced.by(core);
      core.open();
      return new FakeRegistrar(core);
    }
  }
}
