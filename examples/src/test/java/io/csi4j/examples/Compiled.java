package io.csi4j.examples;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Classes to judge: those of a module of this build, or small ones compiled from text to show what
 * a rule does with them.
 */
record Compiled(Path directory, JavaClasses classes) {

  private static final Pattern PACKAGE = Pattern.compile("\\bpackage ([\\w.]+);");
  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|record|enum) (\\w+)|(\\bpackage )");

  /** The directory below that of a module in which this build leaves its classes. */
  private static Path built() {
    try {
      Path tests =
          Path.of(Compiled.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      // The tests are run in testing/gathered, or in this module.
      Path module = tests;
      while (!Files.isRegularFile(module.resolve("pom.xml"))) {
        module = module.getParent();
      }
      return module.relativize(tests.resolveSibling("classes"));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The directory in which the build of a module left its classes. */
  static Path directoryOf(String name) {
    Path directory = PublishedModules.ROOT.resolve(name).resolve(built());
    if (!Files.isRegularFile(directory.resolve("module-info.class"))) {
      throw new IllegalStateException(
          directory + " holds no compiled module. Build " + name + " first.");
    }
    return directory;
  }

  /** Compiles each text as one file into {@code directory}. */
  static Compiled sources(Path directory, String... texts) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options =
        List.of(
            "-d",
            directory.toString(),
            "-proc:none",
            "-classpath",
            System.getProperty("java.class.path"));
    List<Source> units = Arrays.stream(texts).map(Source::new).toList();
    if (!compiler.getTask(null, null, null, options, null, units).call()) {
      throw new IllegalArgumentException("The sources above do not compile.");
    }
    return new Compiled(directory, new ClassFileImporter().importPath(directory));
  }

  /** The descriptor beside the classes. */
  ModuleDescriptor descriptor() {
    return ModuleFinder.of(directory).findAll().iterator().next().descriptor();
  }

  /** Loads the classes; to be closed only when the classes that they refer to are loaded too. */
  URLClassLoader loader() {
    try {
      URL[] here = {directory.toUri().toURL()};
      return new URLClassLoader(here, Compiled.class.getClassLoader());
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Source extends SimpleJavaFileObject {

    private final String text;

    Source(String text) {
      super(
          URI.create("string:///" + path(text) + JavaFileObject.Kind.SOURCE.extension),
          Kind.SOURCE);
      this.text = text;
    }

    private static String path(String text) {
      Matcher in = PACKAGE.matcher(text);
      Matcher type = TYPE.matcher(text);
      if (!in.find() || !type.find()) {
        throw new IllegalArgumentException("No package in: " + text);
      }
      String name = type.group(1) == null && !type.find() ? "package-info" : type.group(1);
      return in.group(1).replace('.', '/') + "/" + name;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
