package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The links between the pages, and the contents that the site is made of. */
class PagesTest {

  private static final Path DOCS = Page.ROOT.resolve("docs");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
  private static final Pattern NAMED = Pattern.compile("<a id=\"([^\"]+)\">");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```$");

  @TempDir Path directory;

  @Test
  void everyLinkLeadsToAFileAndToAHeadingInIt() throws IOException {
    List<Path> pages = pages();
    assertThat(pages).hasSizeGreaterThan(60);
    assertThat(broken(pages)).isEmpty();
  }

  @Test
  void aLinkToNoFileAndALinkToNoHeadingAreFound() throws IOException {
    Path page = directory.resolve("page.md");
    Files.writeString(
        page,
        """
        # The page
        [good](#the-page) [good](other.md#flags--names-1) [good](other.md#Named)
        [bad](gone.md) [bad](#no-page) [bad](other.md#in-a-block) [elsewhere](https://csi4j.example/#x)
        """);
    Files.writeString(
        directory.resolve("other.md"),
        """
        ## Flags & `names`
        ## Flags & `names`
        ### <a id="Named"></a>Named
        ```
        ## In a block
        ```
        """);

    assertThat(broken(List.of(page)))
        .containsExactly(
            "page.md -> gone.md", "page.md -> #no-page", "page.md -> other.md#in-a-block");
  }

  @Test
  void theContentsNameEveryPageOnce() throws IOException {
    List<String> named =
        links(Files.readString(DOCS.resolve("README.md")))
            .filter(link -> !link.startsWith("../"))
            .toList();
    List<String> pages =
        markdown(DOCS).map(page -> page.getFileName().toString()).sorted().toList();

    assertThat(named)
        .containsExactlyInAnyOrderElementsOf(
            pages.stream().filter(page -> !page.equals("README.md")).toList());
  }

  /** All pages for people: those at the root, those in docs, and those in any folder. */
  private static List<Path> pages() throws IOException {
    Set<Path> pages = new TreeSet<>();
    Files.walkFileTree(
        Page.ROOT,
        Set.of(),
        3,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes of) {
            return Set.of("target", "src", ".git").contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes of) {
            if (file.toString().endsWith(".md")) {
              pages.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return List.copyOf(pages);
  }

  private static Stream<Path> markdown(Path directory) throws IOException {
    List<Path> files = new ArrayList<>();
    try (var found = Files.newDirectoryStream(directory, "*.md")) {
      found.forEach(files::add);
    }
    return files.stream();
  }

  private static List<String> broken(List<Path> pages) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages) {
      for (String link : links(Files.readString(page)).toList()) {
        if (link.matches("https?:.*")) {
          continue;
        }
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? page : page.resolveSibling(file);
        if (!Files.exists(target)
            || (hash >= 0
                && !anchors(Files.readString(target)).contains(link.substring(hash + 1)))) {
          broken.add(page.getFileName() + " -> " + link);
        }
      }
    }
    return broken;
  }

  private static Stream<String> links(String page) {
    return LINK.matcher(BLOCK.matcher(page).replaceAll("")).results().map(link -> link.group(1));
  }

  /**
   * The anchors that a forge, and the site, gives the headings of a page; and those with a name.
   */
  private static Set<String> anchors(String page) {
    String text = BLOCK.matcher(page).replaceAll("");
    Set<String> anchors = new HashSet<>();
    for (MatchResult heading : HEADING.matcher(text).results().toList()) {
      String words = heading.group(1).replaceAll("<[^>]+>|\\]\\([^)]*\\)", "");
      String anchor =
          words.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-');
      String unique = anchor;
      for (int more = 1; !anchors.add(unique); more++) {
        unique = anchor + "-" + more;
      }
    }
    NAMED.matcher(text).results().forEach(named -> anchors.add(named.group(1)));
    return anchors;
  }
}
