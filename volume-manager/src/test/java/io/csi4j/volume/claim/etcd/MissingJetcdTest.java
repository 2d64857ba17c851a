package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A host that has csi4j without jetcd. */
class MissingJetcdTest {

  /** The class path of this test without what jetcd is and brings along. */
  private static URL[] withoutJetcd() throws MalformedURLException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<URL> left = new ArrayList<>();
    for (String entry : path.split(File.pathSeparator, -1)) {
      boolean isTheirs =
          entry.contains("jetcd") || entry.contains("vertx") || entry.contains("io/netty/");
      if (!isTheirs) {
        left.add(Path.of(entry).toUri().toURL());
      }
    }
    return left.toArray(URL[]::new);
  }

  @Test
  void withoutItAllElseLoadsAndOpeningNamesWhatToAdd() throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(withoutJetcd(), ClassLoader.getPlatformClassLoader())) {
      String here = EtcdClaimStore.class.getPackageName();
      Class<?> settings = Class.forName(here + ".EtcdSettings", true, loader);
      Class<?> store = Class.forName(here + ".EtcdClaimStore", true, loader);
      Object usual =
          settings
              .getMethod("of", URI[].class)
              .invoke(null, (Object) new URI[] {URI.create("http://127.0.0.1:1")});

      Throwable thrown =
          catchThrowable(() -> store.getMethod("open", settings).invoke(null, usual));

      assertThat(store.getClassLoader()).isSameAs(loader);
      assertThat(thrown).isInstanceOf(InvocationTargetException.class);
      assertThat(thrown.getCause())
          .hasMessage(
              "Opening the store of claims in etcd failed: the library for etcd is not there. Add"
                  + " io.etcd:jetcd-core to the class path; csi4j does not bring it along.");
    }
  }
}
