//! Kinds of schema.org types, by what they say about the page they are on.

/// What an object of a type is about; the later the more telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// A piece of a page or of another object.
    Part,
    /// The way to the page.
    Trail,
    /// The site or who runs it.
    Site,
    /// Anything without a rule of its own.
    Other,
    /// A shop, a practice: on the page about it and, as the publisher, on every other.
    Business,
    /// The page as such.
    Page,
    /// What pages are made for.
    Thing,
}

pub(super) fn family(name: &str) -> Family {
    match name {
        "BreadcrumbList" => Family::Trail,
        "SearchAction"
        | "SiteNavigationElement"
        | "ListItem"
        | "WPHeader"
        | "WPFooter"
        | "WPSideBar"
        | "ImageObject"
        | "Comment"
        | "UserComments"
        | "Rating"
        | "AggregateRating"
        | "Offer"
        | "PostalAddress"
        | "ContactPoint"
        | "ReadAction"
        | "WebPageElement"
        | "Answer" => Family::Part,
        "WebSite"
        | "Organization"
        | "NewsMediaOrganization"
        | "Corporation"
        | "EducationalOrganization"
        | "CollegeOrUniversity"
        | "GovernmentOrganization"
        | "NGO"
        | "OnlineBusiness"
        | "OnlineStore"
        | "Brand"
        | "Blog" => Family::Site,
        "LocalBusiness"
        | "Store"
        | "Restaurant"
        | "Hotel"
        | "LodgingBusiness"
        | "ProfessionalService"
        | "MedicalBusiness"
        | "MedicalClinic"
        | "Physician"
        | "Dentist"
        | "LegalService"
        | "Attorney"
        | "HomeAndConstructionBusiness"
        | "RealEstateAgent"
        | "FinancialService"
        | "AutoDealer"
        | "FoodEstablishment"
        | "SportsActivityLocation"
        | "TouristAttraction"
        | "Place" => Family::Business,
        "WebPage" | "ItemPage" | "AboutPage" | "ContactPage" | "CheckoutPage"
        | "CollectionPage" | "MedicalWebPage" | "ProfilePage" | "SearchResultsPage"
        | "RealEstateListing" => Family::Page,
        name if telling(name) > 0 => Family::Thing,
        _ => Family::Other,
    }
}

/// How much a type says about the page, among those of its family.
pub(super) fn telling(name: &str) -> u8 {
    match name {
        "Recipe" => 90,
        "Product" | "ProductGroup" | "ProductModel" | "IndividualProduct" | "Vehicle" | "Car" => 85,
        "JobPosting" | "Course" | "CourseInstance" | "Dataset" | "Book" | "Movie" | "TVSeries"
        | "TVEpisode" | "MusicAlbum" | "MusicRecording" | "Podcast" | "PodcastSeries"
        | "PodcastEpisode" | "VideoGame" => 80,
        "SoftwareApplication"
        | "MobileApplication"
        | "WebApplication"
        | "SoftwareSourceCode"
        | "HowTo" => 75,
        name if name.ends_with("Event") => 80,
        "DiscussionForumPosting" | "QAPage" => 72,
        "NewsArticle"
        | "BlogPosting"
        | "TechArticle"
        | "ScholarlyArticle"
        | "Report"
        | "SocialMediaPosting"
        | "LiveBlogPosting"
        | "AnalysisNewsArticle"
        | "OpinionNewsArticle"
        | "ReportageNewsArticle"
        | "ReviewNewsArticle"
        | "BackgroundNewsArticle"
        | "AskPublicNewsArticle"
        | "MedicalScholarlyArticle"
        | "AdvertiserContentArticle"
        | "SatiricalArticle"
        | "Thesis" => 71,
        "Article" => 70,
        "MedicalCondition" | "Drug" | "Question" | "DefinedTerm" | "Review" | "CriticReview" => 60,
        "FAQPage" => 50,
        "VideoObject" | "AudioObject" => 40,
        "Service" | "FinancialProduct" | "Trip" | "TouristTrip" | "Accommodation" => 35,
        "CreativeWork" => 30,
        // Of the pages, those that say more than that they are one.
        "CollectionPage" | "ProfilePage" | "AboutPage" | "ContactPage" | "ItemPage"
        | "MedicalWebPage" => 0,
        _ => 0,
    }
}
