//! Families of schema.org types, by their relation to the page they are on.

/// The relation of an object to its page; later variants describe the page better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// A part of a page or of another object.
    Part,
    /// The breadcrumb trail to the page.
    Breadcrumbs,
    /// The site or its owner.
    Site,
    /// Any other type.
    Other,
    /// A shop or a practice: the subject of one page, and the publisher on all others.
    Business,
    /// The web page itself.
    Page,
    /// The subject of the page: an article, a product, an event.
    Content,
}

pub(super) fn family(name: &str) -> Family {
    match name {
        "BreadcrumbList" => Family::Breadcrumbs,
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
        name if specificity(name) > 0 => Family::Content,
        _ => Family::Other,
    }
}

/// Returns the specificity of a type within its family; 0 for types outside of [`Family::Content`].
pub(super) fn specificity(name: &str) -> u8 {
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
        // Types of web pages.
        "CollectionPage" | "ProfilePage" | "AboutPage" | "ContactPage" | "ItemPage"
        | "MedicalWebPage" => 0,
        _ => 0,
    }
}
